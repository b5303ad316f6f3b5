//! What globals and modules of Node stand on: texts as bytes and bytes as texts, hashes, URLs.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use url::{Url, quirks};

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

/// The hash of bytes, by the name that Node has for it.
pub(crate) fn hash(name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    use sha2::Digest;
    Some(match name {
        "md5" => <md5::Md5 as sha1::Digest>::digest(bytes).to_vec(),
        "sha1" => <sha1::Sha1 as sha1::Digest>::digest(bytes).to_vec(),
        "sha224" => sha2::Sha224::digest(bytes).to_vec(),
        "sha256" => sha2::Sha256::digest(bytes).to_vec(),
        "sha384" => sha2::Sha384::digest(bytes).to_vec(),
        "sha512" => sha2::Sha512::digest(bytes).to_vec(),
        _ => return None,
    })
}

/// The parts of a URL in the order in which the class `URL` knows them.
pub(crate) fn parse_url(text: &str, base: Option<&str>) -> Option<Vec<String>> {
    let base = base.map(Url::parse).transpose().ok()?;
    Url::options().base_url(base.as_ref()).parse(text).ok().map(|url| parts(&url))
}

/// The parts of a URL after one of them was changed; `None` if it cannot be.
pub(crate) fn set_url_part(url: &str, part: &str, value: &str) -> Option<Vec<String>> {
    let mut url = Url::parse(url).ok()?;
    match part {
        "href" => quirks::set_href(&mut url, value).ok()?,
        "protocol" => quirks::set_protocol(&mut url, value).ok()?,
        "username" => quirks::set_username(&mut url, value).ok()?,
        "password" => quirks::set_password(&mut url, value).ok()?,
        "host" => quirks::set_host(&mut url, value).ok()?,
        "hostname" => quirks::set_hostname(&mut url, value).ok()?,
        "port" => quirks::set_port(&mut url, value).ok()?,
        "pathname" => quirks::set_pathname(&mut url, value),
        "search" => quirks::set_search(&mut url, value),
        "hash" => quirks::set_hash(&mut url, value),
        _ => return None,
    }
    Some(parts(&url))
}

fn parts(url: &Url) -> Vec<String> {
    vec![
        quirks::href(url).to_owned(),
        quirks::origin(url),
        quirks::protocol(url).to_owned(),
        quirks::username(url).to_owned(),
        quirks::password(url).to_owned(),
        quirks::host(url).to_owned(),
        quirks::hostname(url).to_owned(),
        quirks::port(url).to_owned(),
        quirks::pathname(url).to_owned(),
        quirks::search(url).to_owned(),
        quirks::hash(url).to_owned(),
    ]
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
