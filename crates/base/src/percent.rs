//! Percent-encoding, for texts that become part of a URI (RFC 3986).

/// A text as part of a URI: all but letters, digits, `-._~` and what is kept as percent signs with two digits for each
/// byte.
pub fn encode(text: &str, kept: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |value: u8| char::from(DIGITS.get(usize::from(value)).copied().unwrap_or(b'0'));
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || kept.contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
    out
}

/// The text of a part of a URI. What is not a percent sign with two digits stays as it is.
pub fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code = (byte == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(decoded) => {
                out.push(decoded);
                at += 3;
            }
            None => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_survive_a_round_trip() {
        assert_eq!(encode("a b/ü%", b"/"), "a%20b/%C3%BC%25");
        for text in ["", "a b/ü%", "-._~!*'()", "💪"] {
            assert_eq!(decode(&encode(text, b"")), text);
        }
        assert_eq!(decode("100% %zz %"), "100% %zz %");
    }
}
