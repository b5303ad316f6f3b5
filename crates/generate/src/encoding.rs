//! Texts as bytes and bytes as texts: what the globals `atob`, `btoa`, `TextDecoder` and the module `node:buffer` stand on.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Base64 as readers take it: padding may be missing, and the last digit may hold bits that mean nothing.
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);

/// Base64 with the usual alphabet.
pub(crate) const BASE64: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);

/// Base64 for URLs, written without padding.
pub(crate) const BASE64_URL: GeneralPurpose =
    GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT.with_encode_padding(false));

/// Bytes as text in one of the encodings of Node.
pub(crate) fn encode(bytes: &[u8], encoding: &str) -> Option<String> {
    Some(match encoding {
        "utf8" | "utf-8" => String::from_utf8_lossy(bytes).into_owned(),
        "hex" => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        "base64" => BASE64.encode(bytes),
        "base64url" => BASE64_URL.encode(bytes),
        "latin1" | "binary" => bytes.iter().copied().map(char::from).collect(),
        "ascii" => bytes.iter().map(|byte| char::from(byte & 0x7f)).collect(),
        "utf16le" | "utf-16le" | "ucs2" | "ucs-2" => {
            let units = bytes.chunks_exact(2).map(|pair| match pair {
                [low, high] => u16::from_le_bytes([*low, *high]),
                _ => 0,
            });
            char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }
        _ => return None,
    })
}

/// Text as bytes in one of the encodings of Node. Reading stops at the first thing that does not belong there.
pub(crate) fn decode(text: &str, encoding: &str) -> Option<Vec<u8>> {
    Some(match encoding {
        "utf8" | "utf-8" => text.as_bytes().to_vec(),
        "hex" => {
            let digits: Vec<u32> = text.chars().map_while(|c| c.to_digit(16)).collect();
            digits
                .chunks_exact(2)
                .filter_map(|pair| u8::try_from(pair.first()? * 16 + pair.last()?).ok())
                .collect()
        }
        "base64" | "base64url" => {
            let digits: String = text
                .chars()
                .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_'))
                .map(|c| match c {
                    '-' => '+',
                    '_' => '/',
                    c => c,
                })
                .collect();
            // One digit alone means nothing.
            let whole = if digits.len() % 4 == 1 { digits.len() - 1 } else { digits.len() };
            BASE64.decode(digits.get(..whole)?).unwrap_or_default()
        }
        "latin1" | "binary" | "ascii" => text.encode_utf16().map(|unit| unit.to_le_bytes()[0]).collect(),
        "utf16le" | "utf-16le" | "ucs2" | "ucs-2" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_go_both_ways() {
        for encoding in ["utf8", "hex", "base64", "base64url", "utf16le"] {
            let text = encode("häß?".as_bytes(), encoding).unwrap();
            assert_eq!(decode(&text, encoding).unwrap(), "häß?".as_bytes(), "{encoding}");
        }
        assert_eq!(decode("é", "latin1"), Some(vec![0xe9]));
        assert_eq!(decode("abx0", "hex"), Some(vec![0xab]));
        assert_eq!(decode("YQ==", "base64"), Some(b"a".to_vec()));
        assert_eq!(encode(b"\xff", "nonsense"), None);
    }
}
