//! Tables with borders, as wide as a page of 80 columns allows: longer cells are wrapped at words.

/// How wide a table may be.
const WIDTH: usize = 80;

/// Rows under headings. Nothing at all is a frame without columns.
pub(crate) fn render(headings: &[&str], rows: &[Vec<String>]) -> String {
    if headings.is_empty() {
        return "╭╮\n\n╰╯\n".to_owned();
    }
    let widths = widths(headings, rows);
    let mut text = border(&widths, ['╭', '┬', '╮']);
    let names: Vec<_> = headings.iter().map(|heading| wrapped(heading, usize::MAX)).collect();
    text.push_str(&row(&widths, &names));
    text.push_str(&border(&widths, ['├', '┼', '┤']));
    for cells in rows {
        let lines: Vec<_> = cells.iter().zip(&widths).map(|(cell, width)| wrapped(cell, *width)).collect();
        text.push_str(&row(&widths, &lines));
    }
    text + &border(&widths, ['╰', '┴', '╯'])
}

/// How wide each column is: as its cells need, and where that is too much, what the others leave.
fn widths(headings: &[&str], rows: &[Vec<String>]) -> Vec<usize> {
    let longest = |column: usize, of: &dyn Fn(&str) -> usize| {
        let cells = rows.iter().filter_map(|row| row.get(column).map(String::as_str));
        let heading = headings.get(column).copied().unwrap_or_default();
        cells.chain([heading]).map(of).max().unwrap_or_default()
    };
    let line = |cell: &str| cell.lines().map(length).max().unwrap_or_default();
    let mut widths: Vec<usize> = (0..headings.len()).map(|column| longest(column, &line)).collect();
    let frame = headings.len() * 3 + 1;
    let available = WIDTH.saturating_sub(frame).max(headings.len());
    while widths.iter().sum::<usize>() > available {
        let excess = widths.iter().sum::<usize>() - available;
        // The widest column gives way, down to the next one; one of several equal ones at a time.
        let Some(at) = (0..widths.len()).rev().max_by_key(|at| widths.get(*at)) else { break };
        let next = widths.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, width)| *width).max();
        if let Some(width) = widths.get_mut(at) {
            let step = width.saturating_sub(next.unwrap_or_default()).max(1);
            *width = width.saturating_sub(step.min(excess)).max(1);
        }
    }
    widths
}

fn border(widths: &[usize], [left, middle, right]: [char; 3]) -> String {
    let parts: Vec<String> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
    format!("{left}{}{right}\n", parts.join(&middle.to_string()))
}

fn row(widths: &[usize], cells: &[Vec<String>]) -> String {
    let height = cells.iter().map(Vec::len).max().unwrap_or_default().max(1);
    let mut text = String::new();
    for line in 0..height {
        for (cell, width) in cells.iter().zip(widths) {
            let part = cell.get(line).map_or("", String::as_str);
            let padding = " ".repeat(width.saturating_sub(length(part)));
            text.push_str(&format!("│ {part}{padding} "));
        }
        text.push_str("│\n");
    }
    text
}

/// The lines of a cell, none longer than a width.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for whole in text.lines() {
        if length(whole) <= width {
            lines.push(whole.to_owned());
            continue;
        }
        let mut line: String = whole.chars().take_while(|c| *c == ' ').collect();
        let mut has_words = false;
        for word in whole.split(' ').filter(|word| !word.is_empty()) {
            let gap = usize::from(has_words);
            if has_words && length(&line) + gap + length(word) > width {
                lines.push(std::mem::take(&mut line));
                has_words = false;
            }
            if has_words {
                line.push(' ');
            }
            for c in word.chars() {
                if length(&line) == width {
                    lines.push(std::mem::take(&mut line));
                }
                line.push(c);
            }
            has_words = true;
        }
        lines.push(line);
    }
    lines
}

fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn check(headings: &[&str], rows: &[&[&str]], expected: &expect_test::Expect) {
        let rows: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect();
        expected.assert_eq(&render(headings, &rows));
    }

    #[test]
    fn tables_have_borders() {
        check(
            &["Resource", "Status"],
            &[&["a", "Succeeded"], &["bb", "Code: failed\n  - More: why"]],
            &expect![[r#"
                ╭──────────┬───────────────╮
                │ Resource │ Status        │
                ├──────────┼───────────────┤
                │ a        │ Succeeded     │
                │ bb       │ Code: failed  │
                │          │   - More: why │
                ╰──────────┴───────────────╯
            "#]],
        );
        assert_eq!(render(&[], &[]), "╭╮\n\n╰╯\n");
    }

    #[test]
    fn long_cells_are_wrapped_at_words() {
        check(
            &["Resource", "Duration", "Status"],
            &[&[
                "main -> gridpointsReq",
                "0.1s",
                "DeploymentFailed: At least one operation failed. Please see https://example.org/deployment-operations for details.",
            ]],
            &expect![[r#"
                ╭───────────────────────┬──────────┬───────────────────────────────────────────╮
                │ Resource              │ Duration │ Status                                    │
                ├───────────────────────┼──────────┼───────────────────────────────────────────┤
                │ main -> gridpointsReq │ 0.1s     │ DeploymentFailed: At least one operation  │
                │                       │          │ failed. Please see                        │
                │                       │          │ https://example.org/deployment-operations │
                │                       │          │ for details.                              │
                ╰───────────────────────┴──────────┴───────────────────────────────────────────╯
            "#]],
        );
    }
}
