//! A tiny reader of JSON: values are parts of the text.
#![allow(dead_code)] // some of it is for your own logic

/// A value as it was read, or "" where there is none. A string has its quotes and escapes.
#[derive(Clone, Copy)]
pub struct Json<'a>(pub &'a str);

impl<'a> Json<'a> {
    /// Return whether there is a value.
    pub fn is_some(&self) -> bool {
        !self.0.is_empty()
    }

    /// Return a member of an object.
    pub fn get(&self, key: &str) -> Json<'a> {
        let found = self.members().into_iter().find(|(name, _)| *name == key);
        found.map_or(Json(""), |(_, value)| value)
    }

    /// Return the items of an array.
    pub fn items(&self) -> Vec<Json<'a>> {
        self.members().into_iter().map(|(_, value)| value).collect()
    }

    /// Return the keys and values of an object; those of an array have empty keys.
    pub fn members(&self) -> Vec<(&'a str, Json<'a>)> {
        let mut found = Vec::new();
        let mut key = "";
        let mut at = 1;
        if !self.0.starts_with(['{', '[']) {
            return found;
        }
        while at < self.0.len() {
            match self.0.as_bytes()[at] {
                b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' | b'}' | b']' => at += 1,
                _ => {
                    let value = &self.0[at..self.end(at)];
                    at += value.len();
                    if self.0[at..].trim_start().starts_with(':') {
                        key = &value[1..value.len() - 1];
                    } else {
                        found.push((key, Json(value)));
                    }
                }
            }
        }
        found
    }

    /// Return a string, without escapes, or the text of another value.
    pub fn text(&self) -> &'a str {
        self.0.trim_matches('"')
    }

    /// Return a number that is whole, or 0 if it is none.
    pub fn int(&self) -> i64 {
        self.0.parse().unwrap_or(0)
    }

    /// Return where the value that begins at a place ends.
    fn end(&self, start: usize) -> usize {
        let bytes = self.0.as_bytes();
        let (mut depth, mut quoted, mut at) = (0, false, start);
        while at < bytes.len() {
            match bytes[at] {
                b'\\' if quoted => at += 1,
                b'"' => quoted = !quoted,
                _ if quoted => {}
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth > 0 => depth -= 1,
                b',' | b':' | b'}' | b']' | b' ' if depth == 0 => return at,
                _ => {}
            }
            at += 1;
            if depth == 0 && !quoted && matches!(bytes[at - 1], b'"' | b'}' | b']') {
                return at;
            }
        }
        bytes.len()
    }
}
