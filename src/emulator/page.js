"use strict";
// Shows the document, follows its changes, and sends what is typed as the plain text of one paragraph.
const OBJECT = "\uFFFC", SOFT = "\u000b", PAUSE_MS = 700, POLL_MS = 1000;
const root = document.getElementById("doc"), state = document.getElementById("state");
const base = location.pathname.replace(/[^/]*$/, ""), wanted = new URLSearchParams(location.search).get("tab") || "";
let version = "", tab = wanted, shown = [], busy = Promise.resolve(), timer = 0;

function say(text, bad) {
  state.textContent = text;
  state.classList.toggle("bad", Boolean(bad));
}

// The text of a paragraph as the server counts it.
function plain(node) {
  let text = "";
  for (const child of node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) text += child.data;
    else if (child.nodeType !== Node.ELEMENT_NODE) continue;
    else if (child.hasAttribute("data-object")) text += OBJECT;
    // A line break that the browser put in for an empty line is none of ours.
    else if (child.nodeName === "BR") text += child.hasAttribute("data-soft") ? SOFT : "";
    else text += plain(child);
  }
  return text;
}

const lines = (block) => [...block.querySelectorAll(".line")];
const dirty = (line) => line.old !== undefined && plain(line) !== line.old;

function build(block) {
  const element = document.createElement("div");
  element.innerHTML = block.html;
  place(element, block);
  for (const line of lines(element)) line.old = plain(line);
  return element;
}

function place(element, block) {
  lines(element).forEach((line, n) => { line.spot = block.spots[n]; });
}

// Puts new content in and leaves alone what did not change and what somebody is typing in.
function apply(view) {
  version = view.version;
  tab = view.tab;
  document.title = document.getElementById("title").textContent = view.title;
  const links = view.tabs.map((each) => {
    const link = document.createElement("a");
    link.href = "?tab=" + encodeURIComponent(each.id);
    link.textContent = each.title;
    link.dataset.depth = each.depth;
    if (each.id === view.tab) link.setAttribute("aria-current", "page");
    return link;
  });
  document.getElementById("tabs").replaceChildren(...links);
  const next = view.blocks, same = (a, b) => a && b && a.html === b.html && a.spots.length === b.spots.length;
  if (!shown.length) root.replaceChildren();
  let start = 0, end = 0;
  while (start < Math.min(shown.length, next.length) && same(shown[start], next[start])) start++;
  while (end < Math.min(shown.length, next.length) - start && same(shown.at(-1 - end), next.at(-1 - end))) end++;
  const old = [...root.children], middle = old.slice(start, old.length - end);
  const fresh = next.slice(start, next.length - end).map((block, n) => {
    const before = middle[n];
    const keep = before && middle.length === next.length - end - start && before.contains(document.activeElement)
      && lines(before).length === block.spots.length;
    return keep ? merge(before, block) : build(block);
  });
  const lost = middle.filter((each) => !fresh.includes(each)).flatMap(lines).filter(dirty);
  if (lost.length) say("Changed meanwhile; what you typed was: " + plain(lost[0]), true);
  for (const each of middle) if (!fresh.includes(each)) each.remove();
  const anchor = old[old.length - end] || null;
  for (const each of fresh) if (each.parentNode !== root) root.insertBefore(each, anchor);
  [...root.children].forEach((element, n) => place(element, next[n]));
  shown = next;
}

// Renews a block around the caret.
function merge(element, block) {
  const fresh = build(block), mine = lines(element), theirs = lines(fresh);
  mine.forEach((line, n) => {
    const other = theirs[n];
    if (line !== document.activeElement) return line.replaceWith(other);
    for (const name of ["checked", "glyph"]) if (other.dataset[name]) line.dataset[name] = other.dataset[name];
    if (plain(line) === other.old) { line.old = other.old; return; }
    if (dirty(line)) return;
    const at = caret(line);
    line.innerHTML = other.innerHTML;
    line.old = other.old;
    restore(line, at);
  });
  return element;
}

function caret(line) {
  const selection = getSelection();
  if (!selection.rangeCount) return 0;
  const range = selection.getRangeAt(0).cloneRange();
  range.setStart(line, 0);
  return range.toString().length;
}

function restore(line, at) {
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (at <= node.length) return getSelection().collapse(node, at);
    at -= node.length;
  }
  getSelection().selectAllChildren(line);
  getSelection().collapseToEnd();
}

// One request at a time, so that places never get mixed up.
function queue(work) {
  busy = busy.then(work).catch((error) => say("No answer: " + error.message, true));
  return busy;
}

async function poll() {
  const answer = await fetch(base + "content?" + new URLSearchParams({ tab: wanted, version }));
  if (answer.status === 200) apply(await answer.json());
  else if (answer.status !== 204) say("The document cannot be read (" + answer.status + ").", true);
}

async function send(line, extra) {
  const text = extra === undefined ? plain(line) : extra;
  if (!line.isConnected || text === line.old || line.classList.contains("stale")) return;
  say("Saving…");
  const body = JSON.stringify({ tab, segment: line.spot.segment, start: line.spot.start, old: line.old, new: text });
  const answer = await fetch(base + "type", { method: "POST", headers: { "content-type": "application/json" }, body });
  if (answer.ok) {
    line.old = text;
    apply(await answer.json());
    say("Saved.");
  } else if (answer.status === 409) {
    line.classList.add("stale");
    say("This paragraph was changed meanwhile. Copy what you need and press Escape to see it.", true);
  } else {
    const problem = await answer.json().catch(() => ({}));
    line.classList.add("stale");
    say("Not saved: " + (problem.error ? problem.error.message : answer.status) + " Press Escape to go back.", true);
  }
}

const lineOf = (event) => event.target.closest && event.target.closest(".line");

root.addEventListener("input", (event) => {
  const line = lineOf(event);
  clearTimeout(timer);
  if (line) timer = setTimeout(() => queue(() => send(line)), PAUSE_MS);
});
root.addEventListener("focusout", (event) => {
  const line = lineOf(event);
  if (line) queue(() => send(line));
});
root.addEventListener("keydown", (event) => {
  const line = lineOf(event);
  if (!line) return;
  if (event.key === "Enter" && !event.isComposing) {
    event.preventDefault();
    // A new paragraph, or with Shift a soft line break, where the caret is.
    getSelection().getRangeAt(0).deleteContents();
    const mark = document.createTextNode("\u0000");
    getSelection().getRangeAt(0).insertNode(mark);
    const text = plain(line).replace("\u0000", event.shiftKey ? SOFT : "\n");
    mark.remove();
    const from = line.spot, behind = (each) => each.spot.segment === from.segment && each.spot.start > from.start;
    queue(() => send(line, text)).then(() => {
      const next = [...root.querySelectorAll(".line")].find(behind);
      if (next && !event.shiftKey) next.focus();
    });
  } else if (event.key === "Escape") {
    event.preventDefault();
    line.blur();
    shown = [];
    version = "";
    queue(poll).then(() => say(""));
  }
});
// A box stands before its paragraph, and belongs to it.
const boxOf = (event) => {
  const line = lineOf(event);
  const before = line && line.dataset.checked && event.target === line
    && event.clientX < line.getBoundingClientRect().left + parseFloat(getComputedStyle(line).paddingLeft);
  return before ? line : null;
};

async function tick(line) {
  await send(line);
  if (!line.isConnected || line.classList.contains("stale")) return;
  say("Saving…");
  const checked = line.dataset.checked !== "true";
  const body = JSON.stringify({ tab, start: line.spot.start, old: line.old, checked });
  const answer = await fetch(base + "tick", { method: "POST", headers: { "content-type": "application/json" }, body });
  if (answer.ok) {
    line.dataset.checked = String(checked);
    line.dataset.glyph = checked ? "\u2611" : "\u2610";
    apply(await answer.json());
    say("Saved.");
  } else {
    say("Not saved: this paragraph was changed meanwhile.", true);
  }
}

root.addEventListener("mousedown", (event) => {
  // A click on a box does not move the caret.
  if (boxOf(event)) event.preventDefault();
});
root.addEventListener("click", (event) => {
  const box = boxOf(event);
  if (box) queue(() => tick(box));
  const link = event.target.closest && event.target.closest("a[href]");
  if (link && (event.ctrlKey || event.metaKey)) window.open(link.href, "_blank", "noopener");
  if (link) event.preventDefault();
});

queue(poll);
setInterval(() => queue(poll), POLL_MS);
