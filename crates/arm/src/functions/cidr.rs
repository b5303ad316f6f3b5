//! Networks in CIDR notation, both versions of IP.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{Function, whole};
use crate::error::Error;
use crate::evaluate::Invocation;
use crate::value::Value;

pub(super) const TABLE: &[Function] = &[
    whole("parseCidr", 1, 1, parse_cidr),
    whole("cidrSubnet", 3, 3, cidr_subnet),
    whole("cidrHost", 2, 2, cidr_host),
];

/// A network: its first address as a number, how many bits addresses have, and how many of them are fixed.
#[derive(Clone, Copy)]
struct Network {
    first: u128,
    width: u32,
    prefix: u32,
}

impl Network {
    fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = text.trim().split_once('/')?;
        let (bits, width) = match address.parse().ok()? {
            IpAddr::V4(v4) => (u128::from(u32::from(v4)), 32),
            IpAddr::V6(v6) => (u128::from(v6), 128),
        };
        let prefix = prefix.parse().ok().filter(|prefix| *prefix <= width)?;
        let network = Self { first: 0, width, prefix };
        Some(Self { first: bits & network.mask(), ..network })
    }

    /// The fixed bits of an address.
    fn mask(self) -> u128 {
        let all = u128::MAX >> (128 - self.width);
        all ^ self.hosts()
    }

    /// The free bits of an address.
    fn hosts(self) -> u128 {
        1u128.checked_shl(self.width - self.prefix).unwrap_or(0).wrapping_sub(1)
    }

    fn last(self) -> u128 {
        self.first | self.hosts()
    }

    fn address(self, bits: u128) -> String {
        match u32::try_from(bits) {
            Ok(v4) if self.width == 32 => Ipv4Addr::from(v4).to_string(),
            _ => Ipv6Addr::from(bits).to_string(),
        }
    }

    fn fits(self, bits: u128) -> bool {
        bits <= u128::MAX >> (128 - self.width)
    }
}

fn parse_cidr(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let network = network(call, args)?;
    let single = network.hosts() <= 1;
    let v4 = network.width == 32;
    // The first and the last address of an IPv4 network are not for hosts.
    let inset = u128::from(v4 && !single);
    let mut members = vec![
        ("network", Value::string(network.address(network.first))),
        ("netmask", Value::string(network.address(network.mask()))),
    ];
    if v4 {
        members.push(("broadcast", Value::string(network.address(network.last()))));
    }
    members.push(("firstUsable", Value::string(network.address(network.first + inset))));
    members.push(("lastUsable", Value::string(network.address(network.last() - inset))));
    members.push(("cidr", Value::int(i64::from(network.prefix))));
    Ok(Value::object(members))
}

fn cidr_subnet(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let network = network(call, args)?;
    let prefix = u32::try_from(call.int(args, 1)?).ok();
    let prefix =
        prefix.filter(|prefix| (network.prefix..=network.width).contains(prefix)).ok_or_else(|| {
            call.invalid(format!("the new prefix must be from {} to {}", network.prefix, network.width))
        })?;
    let index = index(call, args, 2)?;
    let size = 1u128.checked_shl(network.width - prefix);
    let first = size.and_then(|size| index.checked_mul(size)).and_then(|at| network.first.checked_add(at));
    match first {
        Some(first) if network.fits(first) => call.text(format!("{}/{prefix}", network.address(first))),
        None if index == 0 => call.text(format!("{}/{prefix}", network.address(network.first))),
        _ => Err(call.invalid("there is no subnet of that number")),
    }
}

fn cidr_host(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let network = network(call, args)?;
    let host = index(call, args, 1)?.checked_add(1).and_then(|at| network.first.checked_add(at));
    match host {
        Some(host) if host <= network.last() => call.text(network.address(host)),
        _ => Err(call.invalid("there is no host of that number in the network")),
    }
}

fn network(call: &Invocation<'_>, args: &[Value]) -> Result<Network, Error> {
    Network::parse(call.string(args, 0)?)
        .ok_or_else(|| call.invalid("the text is not an address with a prefix length"))
}

fn index(call: &Invocation<'_>, args: &[Value], at: usize) -> Result<u128, Error> {
    u128::try_from(call.int(args, at)?).map_err(|_| call.invalid("the number is negative"))
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::check_all;

    #[test]
    fn networks() {
        check_all(&[
            (
                "parseCidr('10.144.3.0/20')",
                r#"{"network":"10.144.0.0","netmask":"255.255.240.0","broadcast":"10.144.15.255","firstUsable":"10.144.0.1","lastUsable":"10.144.15.254","cidr":20}"#,
            ),
            (
                "parseCidr('10.0.0.7/32')",
                r#"{"network":"10.0.0.7","netmask":"255.255.255.255","broadcast":"10.0.0.7","firstUsable":"10.0.0.7","lastUsable":"10.0.0.7","cidr":32}"#,
            ),
            (
                "parseCidr('fdad:3236:5555::/48')",
                r#"{"network":"fdad:3236:5555::","netmask":"ffff:ffff:ffff::","firstUsable":"fdad:3236:5555::","lastUsable":"fdad:3236:5555:ffff:ffff:ffff:ffff:ffff","cidr":48}"#,
            ),
            ("parseCidr('0.0.0.0/0').lastUsable", "\"255.255.255.254\""),
            ("parseCidr('::/0').lastUsable", "\"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff\""),
            ("parseCidr('10.0.0.0')", "\"!invalid-argument\""),
            ("parseCidr('10.0.0.0/33')", "\"!invalid-argument\""),
        ]);
    }

    #[test]
    fn parts_of_networks() {
        check_all(&[
            ("cidrSubnet('10.144.0.0/20', 24, 0)", "\"10.144.0.0/24\""),
            ("cidrSubnet('10.144.0.0/20', 24, 2)", "\"10.144.2.0/24\""),
            ("cidrSubnet('10.144.0.0/20', 24, 16)", "\"10.144.16.0/24\""),
            ("cidrSubnet('10.144.0.0/20', 32, 1)", "\"10.144.0.1/32\""),
            ("cidrSubnet('fdad:3236:5555::/48', 64, 1)", "\"fdad:3236:5555:1::/64\""),
            ("cidrSubnet('::/0', 0, 0)", "\"::/0\""),
            ("cidrSubnet('10.0.0.0/20', 16, 0)", "\"!invalid-argument\""),
            ("cidrSubnet('255.255.255.0/24', 24, 1)", "\"!invalid-argument\""),
            ("cidrHost('10.144.3.0/24', 0)", "\"10.144.3.1\""),
            ("cidrHost('10.144.3.0/24', 254)", "\"10.144.3.255\""),
            ("cidrHost('10.144.3.0/24', 255)", "\"!invalid-argument\""),
            ("cidrHost('10.144.3.0/24', -1)", "\"!invalid-argument\""),
        ]);
    }
}
