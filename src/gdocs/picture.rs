//! Files of pictures: what their first bytes tell, and which of them Docs takes.
//!
//! Source: <https://developers.google.com/workspace/docs/api/reference/rest/v1/documents/request#InsertInlineImageRequest>

/// Bytes that a picture for Docs may have.
pub const PICTURE_BYTES_MAX: usize = 50 << 20;

/// Pixels that a picture for Docs may have.
pub const PICTURE_PIXELS_MAX: u64 = 25_000_000;

/// Bytes of the URI of a picture for Docs.
pub const PICTURE_URI_BYTES_MAX: usize = 2_048;

/// Points that a pixel takes where nobody says how large a picture shall be: 96 pixels make an inch.
const POINTS_PER_PIXEL: f64 = 0.75;

/// What kind of picture some bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF.
    Gif,
    /// WebP.
    Webp,
    /// A Windows bitmap.
    Bmp,
    /// SVG.
    Svg,
}

impl PictureFormat {
    /// Finds the format by the first bytes; `None` when they are no picture.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        /// Bytes in which an SVG must have begun; comments and a declaration may come first.
        const SVG_BYTES: usize = 1_024;
        if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            Some(Self::Png)
        } else if bytes.starts_with(b"\xff\xd8\xff") {
            Some(Self::Jpeg)
        } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
            Some(Self::Gif)
        } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            Some(Self::Webp)
        } else if bytes.starts_with(b"BM") && bytes.get(6..10) == Some(&[0; 4]) {
            Some(Self::Bmp)
        } else {
            let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            let start = start.get(..start.len().min(SVG_BYTES)).unwrap_or_default().trim_ascii_start();
            let is_svg = (start.starts_with(b"<?xml")
                || start.starts_with(b"<!--")
                || start.starts_with(b"<!DOCTYPE svg")
                || start.starts_with(b"<svg"))
                && start.windows(4).any(|part| part == b"<svg");
            is_svg.then_some(Self::Svg)
        }
    }

    /// Returns the ending of its files.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Gif => "gif",
            Self::Webp => "webp",
            Self::Bmp => "bmp",
            Self::Svg => "svg",
        }
    }

    /// Returns its media type.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Bmp => "image/bmp",
            Self::Svg => "image/svg+xml",
        }
    }
}

/// A picture that Docs takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picture {
    /// Its format: PNG, JPEG or GIF.
    pub format: PictureFormat,
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
}

impl Picture {
    /// Reads the head of a picture's file.
    ///
    /// # Errors
    ///
    /// A sentence that says why Docs does not take it.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() > PICTURE_BYTES_MAX {
            return Err(format!("it is larger than {} MB", PICTURE_BYTES_MAX >> 20));
        }
        let format = PictureFormat::of(bytes);
        let size = match format {
            Some(PictureFormat::Png) => png(bytes),
            Some(PictureFormat::Jpeg) => jpeg(bytes),
            Some(PictureFormat::Gif) => gif(bytes),
            Some(PictureFormat::Webp | PictureFormat::Bmp | PictureFormat::Svg) | None => {
                return Err("it is no PNG, JPEG or GIF".into());
            }
        };
        let (Some(format), Some((width, height))) = (format, size.filter(|(width, height)| *width > 0 && *height > 0))
        else {
            return Err("its size cannot be read; the file is damaged".into());
        };
        if u64::from(width) * u64::from(height) > PICTURE_PIXELS_MAX {
            return Err(format!("it has more than {} million pixels", PICTURE_PIXELS_MAX / 1_000_000));
        }
        Ok(Self { format, width, height })
    }

    /// Returns the size in points, width and height, at which Docs shows it: as large as fits into what is asked for, its
    /// shape kept.
    #[must_use]
    pub fn points(&self, width: Option<f64>, height: Option<f64>) -> (f64, f64) {
        let (own_width, own_height) = (f64::from(self.width), f64::from(self.height));
        let usable = |asked: Option<f64>| asked.filter(|points| points.is_finite() && *points > 0.0);
        let scale = match (usable(width), usable(height)) {
            (None, None) => POINTS_PER_PIXEL,
            (Some(width), None) => width / own_width,
            (None, Some(height)) => height / own_height,
            (Some(width), Some(height)) => (width / own_width).min(height / own_height),
        };
        (own_width * scale, own_height * scale)
    }
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn be16(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?)))
}

fn le16(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?)))
}

/// Source: <https://www.w3.org/TR/png-3/#11IHDR>
fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    (bytes.get(12..16)? == b"IHDR").then_some(())?;
    Some((be32(bytes, 16)?, be32(bytes, 20)?))
}

/// Source: <https://www.w3.org/Graphics/GIF/spec-gif89a.txt>, logical screen descriptor.
fn gif(bytes: &[u8]) -> Option<(u32, u32)> {
    Some((le16(bytes, 6)?, le16(bytes, 8)?))
}

/// Walks from marker to marker to the frame header.
///
/// Source: <https://www.w3.org/Graphics/JPEG/itu-t81.pdf>, B.2.2.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xff {
            return None;
        }
        let marker = *bytes.get(at + 1)?;
        match marker {
            // Fill bytes.
            0xff => at += 1,
            // Markers that stand alone.
            0x01 | 0xd0..=0xd7 => at += 2,
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((be16(bytes, at + 7)?, be16(bytes, at + 5)?));
            }
            // The picture's data begins, or it ends: no frame was seen.
            0xd8..=0xda => return None,
            _ => {
                let length = usize::try_from(be16(bytes, at + 2)?).ok().filter(|length| *length >= 2)?;
                at += 2 + length;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03\x08\x06\0\0\0";

    #[test]
    fn first_bytes_tell_the_format() {
        for (bytes, extension) in [
            (PNG, Some("png")),
            (b"\xff\xd8\xff\xe0".as_slice(), Some("jpg")),
            (b"GIF89a\x01\0\x01\0", Some("gif")),
            (b"RIFF\x10\0\0\0WEBPVP8 ", Some("webp")),
            (b"BM\x10\0\0\0\0\0\0\0\x36", Some("bmp")),
            (b"<svg xmlns='http://www.w3.org/2000/svg'/>", Some("svg")),
            (b"\xef\xbb\xbf <?xml version='1.0'?>\n<!-- x -->\n<svg/>", Some("svg")),
            (b"<html><svg/></html>", None),
            (b"<?xml version='1.0'?><html/>", None),
            (b"BM, a text", None),
            (b"#!/bin/sh", None),
            (b"", None),
        ] {
            assert_eq!(PictureFormat::of(bytes).map(PictureFormat::extension), extension, "{bytes:?}");
        }
    }

    fn check(bytes: &[u8], expected: Result<(u32, u32), &str>) {
        let found = Picture::read(bytes).map(|picture| (picture.width, picture.height));
        assert_eq!(found, expected.map_err(str::to_owned), "{bytes:?}");
    }

    #[test]
    fn heads_tell_the_size() {
        check(PNG, Ok((2, 3)));
        check(b"GIF89a\x05\0\x07\0", Ok((5, 7)));
        check(b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc2\0\x0b\x08\0\x09\0\x0b", Ok((11, 9)));
        let damaged = "its size cannot be read; the file is damaged";
        check(b"\xff\xd8\xff\xe0\0\0ab", Err(damaged));
        check(b"\xff\xd8\xff\xda\0\x04ab", Err(damaged));
        check(b"\xff\xd8\xff", Err(damaged));
        check(&PNG[..18], Err(damaged));
        check(b"GIF89a\0\0\x07\0", Err(damaged));
        check(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x20\0\0\0\x20\0", Err("it has more than 25 million pixels"));
        check(b"RIFF\x10\0\0\0WEBPVP8 ", Err("it is no PNG, JPEG or GIF"));
        check(b"hello", Err("it is no PNG, JPEG or GIF"));
    }

    #[test]
    fn shapes_are_kept() {
        let picture = Picture { format: PictureFormat::Png, width: 544, height: 184 };
        assert_eq!(picture.points(None, None), (408.0, 138.0));
        let (width, height) = picture.points(Some(200.0), None);
        assert!((width - 200.0).abs() < 1e-9 && (height - 67.647_058_823_529_42).abs() < 1e-9);
        let (width, height) = picture.points(Some(200.0), Some(18.4));
        assert!((width - 54.4).abs() < 1e-9 && (height - 18.4).abs() < 1e-9);
        assert_eq!(picture.points(Some(f64::NAN), Some(-1.0)), (408.0, 138.0));
    }
}
