// Runs in a world of its own beside the page: the page's scripts see nothing of it and cannot change what it calls.
(() => {
  const running = new Map();

  class Running {
    constructor(request) {
      this.limit = request.limit;
      this.bytes = 0;
      this.controller = new AbortController();
      this.decoder = new TextDecoder();
      this.reader = null;
      this.answer = fetch(request.url, {
        method: request.method,
        headers: request.headers,
        body: request.body ?? undefined,
        redirect: request.follow ? "follow" : "manual",
        credentials: "include",
        cache: "no-store",
        signal: this.controller.signal,
      });
    }

    async head(names) {
      const answer = await this.answer;
      this.reader = answer.body ? answer.body.getReader() : null;
      const headers = {};
      for (const name of names) {
        const value = answer.headers.get(name);
        if (value !== null) headers[name] = value;
      }
      const stopped = answer.type === "opaqueredirect";
      return { status: answer.status, url: answer.url, redirected: answer.redirected || stopped, headers };
    }

    // Returns the next text: at least `enough` bytes of it, unless it ends before.
    async next(enough) {
      let text = "";
      let read = 0;
      do {
        const { done, value } = this.reader ? await this.reader.read() : { done: true };
        if (done) return { text: text + this.decoder.decode(), done: true };
        read += value.byteLength;
        this.bytes += value.byteLength;
        if (this.bytes > this.limit) {
          this.controller.abort();
          return { large: true };
        }
        text += this.decoder.decode(value, { stream: true });
      } while (read < enough);
      return { text, done: false };
    }
  }

  // A message of an error may quote the page, so its name alone is told.
  const told = (id, error) => {
    running.delete(id);
    return { failed: String((error && error.name) || "unknown") };
  };

  globalThis.courier = {
    async start(id, request) {
      try {
        const one = new Running(request);
        running.set(id, one);
        return await one.head(request.names);
      } catch (error) {
        return told(id, error);
      }
    },
    async next(id, enough) {
      try {
        const piece = await running.get(id).next(enough);
        if (piece.done || piece.large) running.delete(id);
        return piece;
      } catch (error) {
        return told(id, error);
      }
    },
    stop(id) {
      const one = running.get(id);
      running.delete(id);
      if (one) one.controller.abort();
    },
  };
})();
