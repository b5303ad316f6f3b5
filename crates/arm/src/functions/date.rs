//! Dates and durations.

use super::{ExpressionSites, Function, open, whole};
use crate::dotnet::date::{Moment, parse};
use crate::error::Error;
use crate::evaluate::Invocation;
use crate::messages;
use crate::value::{Origin, Value};

pub(super) const TABLE: &[Function] = &[
    whole("dateTimeAdd", 2, 3, date_time_add),
    whole("dateTimeToEpoch", 1, 1, date_time_to_epoch),
    whole("dateTimeFromEpoch", 1, 1, date_time_from_epoch),
    open("utcNow", 0, 1, utc_now).only(ExpressionSites::DEFAULTS),
    open("newGuid", 0, 0, new_guid).only(ExpressionSites::DEFAULTS),
];

fn date_time_add(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let (start, own_format) = moment(call, args)?;
    let duration = call.string(args, 1)?;
    let end = start
        .add(duration)
        .ok_or_else(|| call.invalid("the duration is not one of ISO 8601, or too long"))?;
    let format = match args.get(2) {
        None => own_format.as_str(),
        Some(_) => call.string(args, 2)?,
    };
    written(call, end, format)
}

fn date_time_to_epoch(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let (moment, _) = moment(call, args)?;
    moment.to_epoch().map(Value::int).ok_or_else(|| messages::overflow(call.name()))
}

fn date_time_from_epoch(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let moment = Moment::from_epoch(call.int(args, 0)?);
    let moment = moment.ok_or_else(|| call.invalid("the number is outside of the years 1 to 9999"))?;
    written(call, moment, "yyyy-MM-ddTHH:mm:ss'Z'")
}

fn utc_now(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    if args.iter().any(Value::is_unknown) {
        return call.residual(args);
    }
    let format = match args.first() {
        None => "yyyyMMddTHHmmssZ",
        Some(_) => call.string(args, 0)?,
    };
    match call.evaluator.environment().now().and_then(Moment::from_epoch) {
        Some(moment) => written(call, moment, format),
        None => Ok(call.unknown(args, Origin::Clock)),
    }
}

fn new_guid(call: &Invocation<'_>, args: &[Value]) -> Result<Value, Error> {
    let guid = call.evaluator.environment().new_guid();
    Ok(guid.map_or_else(|| call.unknown(args, Origin::NewGuid), Value::string))
}

fn moment(call: &Invocation<'_>, args: &[Value]) -> Result<(Moment, String), Error> {
    parse(call.string(args, 0)?).ok_or_else(|| call.invalid("the text is not a date"))
}

fn written(call: &Invocation<'_>, moment: Moment, format: &str) -> Result<Value, Error> {
    call.text(moment.format(format).ok_or_else(|| messages::bad_format(format))?)
}

#[cfg(test)]
mod tests {
    use crate::evaluate::Environment;
    use crate::functions::testing::{check_all, check_in};

    #[test]
    fn dates() {
        check_all(&[
            ("dateTimeAdd('2020-04-07 14:53:14Z', 'P3Y')", "\"2023-04-07 14:53:14Z\""),
            ("dateTimeAdd('2020-04-07 14:53:14Z', '-P9D')", "\"2020-03-29 14:53:14Z\""),
            ("dateTimeAdd('2020-04-07 14:53:14Z', 'PT1H', 'yyyy/MM/dd HH')", "\"2020/04/07 15\""),
            ("dateTimeAdd('soon', 'PT1H')", "\"!invalid-argument\""),
            ("dateTimeAdd('2020-04-07', '1 day')", "\"!invalid-argument\""),
            ("dateTimeAdd('2020-04-07', 'P1D', 'Q')", "\"!bad-format\""),
            ("dateTimeToEpoch('2023-05-02T15:16:13Z')", "1683040573"),
            ("dateTimeFromEpoch(1683040573)", "\"2023-05-02T15:16:13Z\""),
            ("dateTimeAdd(utcNow('u'), 'P1D')", "\"[dateTimeAdd(utcNow('u'), 'P1D')]\""),
        ]);
    }

    struct Clock;

    impl Environment for Clock {
        fn now(&self) -> Option<i64> {
            Some(1_683_040_573)
        }
    }

    #[test]
    fn now_comes_from_outside() {
        check_in(&Clock, "utcNow()", "\"20230502T151613Z\"");
        check_in(&Clock, "utcNow('d')", "\"05/02/2023\"");
        check_in(&Clock, "utcNow('yyyy-MM-dd')", "\"2023-05-02\"");
    }
}
