//! Exact decimal numbers, for limits in messages. Number text comes in.

/// `digits` times ten to the power of minus `scale`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    digits: i128,
    scale: u32,
}

impl Decimal {
    /// The number that a JSON text means; `None` when it has more digits than fit.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let exponent: i32 = exponent.parse().ok()?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
        let scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
        let decimal = if scale < 0 {
            Self { digits: digits.checked_mul(power(scale.unsigned_abs())?)?, scale: 0 }
        } else {
            Self { digits, scale: scale.unsigned_abs() }
        };
        Some(decimal.reduced())
    }

    fn reduced(mut self) -> Self {
        while self.scale > 0 && self.digits % 10 == 0 {
            self.digits /= 10;
            self.scale -= 1;
        }
        self
    }

    /// As a fraction, which is how limits are printed: `3/2`, `0/1`.
    pub(super) fn fraction(self) -> String {
        let denominator = power(self.scale).unwrap_or(1);
        let divisor = greatest_common_divisor(self.digits.unsigned_abs(), denominator.unsigned_abs()).max(1);
        let divisor = i128::try_from(divisor).unwrap_or(1);
        format!("{}/{}", self.digits / divisor, denominator / divisor)
    }
}

fn power(exponent: u32) -> Option<i128> {
    10_i128.checked_pow(exponent)
}

fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_fractions() {
        let decimal = |text| Decimal::parse(text).unwrap();
        assert_eq!(decimal("0").fraction(), "0/1");
        assert_eq!(decimal("1.50").fraction(), "3/2");
        assert_eq!(decimal("-2e3").fraction(), "-2000/1");
        assert_eq!(Decimal::parse("1e400"), None);
    }
}
