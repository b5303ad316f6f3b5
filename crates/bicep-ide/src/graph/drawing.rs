//! Pictures of graphs: boxes that wait for each other, some inside of others, come in; Mermaid, DOT or SVG goes out. The layout of an SVG
//! is layered: a box stands to the right of everything that it waits for, and a module is a frame around what is in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::Graph;

/// Boxes and arrows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drawing {
    /// The boxes, a frame before what is in it.
    pub boxes: Vec<DrawnBox>,
    /// Pairs of ids: what waits, and what it waits for.
    pub arrows: Vec<(String, String)>,
}

/// A resource or a module in a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnBox {
    /// What tells it apart.
    pub id: String,
    /// The box around it.
    pub parent: Option<String>,
    pub name: String,
    /// What it is.
    pub ty: String,
    /// Whether it is a module.
    pub is_module: bool,
    /// Whether there are several.
    pub is_collection: bool,
}

impl Drawing {
    /// The picture of a deployment graph.
    pub fn of(graph: &Graph) -> Self {
        let boxes = graph.nodes.iter().map(|node| DrawnBox {
            id: node.id.clone(),
            parent: node.parent.clone(),
            name: node.name.clone(),
            ty: node.ty.clone(),
            is_module: node.is_module,
            is_collection: node.is_collection,
        });
        Self { boxes: boxes.collect(), arrows: graph.edges.clone() }
    }

    fn inside(&self, parent: Option<&str>) -> Vec<&DrawnBox> {
        self.boxes.iter().filter(|it| it.parent.as_deref() == parent).collect()
    }

    /// For `mermaid` fences in Markdown.
    pub fn mermaid(&self) -> String {
        let numbers = self.numbers();
        let mut out = String::from("flowchart RL\n");
        self.mermaid_boxes(None, 1, &numbers, &mut out);
        for (from, to) in &self.arrows {
            if let (Some(from), Some(to)) = (numbers.get(from.as_str()), numbers.get(to.as_str())) {
                // Writing to a string cannot fail.
                let _ = writeln!(out, "  n{from} --> n{to}");
            }
        }
        out
    }

    fn mermaid_boxes(
        &self,
        parent: Option<&str>,
        depth: usize,
        numbers: &BTreeMap<&str, usize>,
        out: &mut String,
    ) {
        if depth > MAX_DEPTH {
            return;
        }
        let indent = "  ".repeat(depth);
        for item in self.inside(parent) {
            let number = numbers.get(item.id.as_str()).copied().unwrap_or_default();
            let label = mermaid_label(item);
            // Writing to a string cannot fail.
            if self.inside(Some(&item.id)).is_empty() {
                let (open, close) = if item.is_module { ("[[", "]]") } else { ("[", "]") };
                let _ = writeln!(out, "{indent}n{number}{open}\"{label}\"{close}");
            } else {
                let _ = writeln!(out, "{indent}subgraph n{number}[\"{label}\"]");
                self.mermaid_boxes(Some(&item.id), depth + 1, numbers, out);
                let _ = writeln!(out, "{indent}end");
            }
        }
    }

    /// For Graphviz.
    pub fn dot(&self) -> String {
        let mut out = String::from(
            "digraph {\n  rankdir=RL;\n  compound=true;\n  node [shape=box, fontname=\"sans-serif\"];\n",
        );
        self.dot_boxes(None, 1, &mut out);
        for (from, to) in &self.arrows {
            let (tail, head) = (self.first_leaf(from), self.first_leaf(to));
            let mut sides = Vec::new();
            // Graphviz knows no arrows between frames, only between boxes that end at their frames.
            for (side, id, leaf) in [("ltail", from, &tail), ("lhead", to, &head)] {
                if id != leaf {
                    sides.push(format!("{side}={}", dot_text(&format!("cluster_{id}"))));
                }
            }
            let sides = if sides.is_empty() { String::new() } else { format!(" [{}]", sides.join(", ")) };
            // Writing to a string cannot fail.
            let _ = writeln!(out, "  {} -> {}{sides};", dot_text(&tail), dot_text(&head));
        }
        out.push_str("}\n");
        out
    }

    fn dot_boxes(&self, parent: Option<&str>, depth: usize, out: &mut String) {
        if depth > MAX_DEPTH {
            return;
        }
        let indent = "  ".repeat(depth);
        for item in self.inside(parent) {
            let label = dot_text(&format!("{}\n{}", shown_name(item), item.ty));
            // Writing to a string cannot fail.
            if self.inside(Some(&item.id)).is_empty() {
                let _ = writeln!(out, "{indent}{} [label={label}];", dot_text(&item.id));
            } else {
                let _ = writeln!(out, "{indent}subgraph {} {{", dot_text(&format!("cluster_{}", item.id)));
                let _ = writeln!(out, "{indent}  label={label};");
                self.dot_boxes(Some(&item.id), depth + 1, out);
                let _ = writeln!(out, "{indent}}}");
            }
        }
    }

    fn first_leaf(&self, id: &str) -> String {
        let mut leaf = id.to_owned();
        for _ in 0..MAX_DEPTH {
            match self.inside(Some(&leaf)).first() {
                Some(inner) => leaf.clone_from(&inner.id),
                None => break,
            }
        }
        leaf
    }

    fn numbers(&self) -> BTreeMap<&str, usize> {
        self.boxes.iter().enumerate().map(|(number, it)| (it.id.as_str(), number)).collect()
    }

    /// A picture that follows the colours of the reader's system.
    pub fn svg(&self) -> String {
        let mut placed = Vec::new();
        let (width, height) = self.place(None, 0, Corner { left: MARGIN, top: MARGIN }, &mut placed);
        let (width, height) = (width + 2.0 * MARGIN, height + 2.0 * MARGIN);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} \
             {height:.0}\" font-family=\"system-ui, sans-serif\">\n<style>{STYLE}</style>\n<defs><marker id=\"head\" viewBox=\"0 0 8 8\" \
             refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path class=\"head\" d=\"M0 0L8 4L0 8z\"/></marker></defs>\n"
        );
        for frame in placed.iter().filter(|it| it.is_frame) {
            frame.write(&mut out);
        }
        let at: BTreeMap<&str, &Placed<'_>> = placed.iter().map(|it| (it.item.id.as_str(), it)).collect();
        for (from, to) in &self.arrows {
            if let (Some(from), Some(to)) = (at.get(from.as_str()), at.get(to.as_str())) {
                let (x1, y1) = (from.x, from.y + from.height / 2.0);
                let (x2, y2) = (to.x + to.width, to.y + to.height / 2.0);
                let bend = ((x1 - x2).abs() / 2.0).max(20.0);
                let (c1, c2) = (x1 - bend, x2 + bend);
                // Writing to a string cannot fail.
                let _ = writeln!(
                    out,
                    "<path class=\"arrow\" marker-end=\"url(#head)\" d=\"M{x1:.0} {y1:.0}C{c1:.0} {y1:.0} {c2:.0} {y2:.0} {x2:.0} {y2:.0}\"/>"
                );
            }
        }
        // An arrow that is longer than one column goes behind the boxes on its way, so that they can be read.
        for leaf in placed.iter().filter(|it| !it.is_frame) {
            leaf.write(&mut out);
        }
        out.push_str("</svg>\n");
        out
    }

    /// Places what is inside of a box, and says how much room it takes.
    fn place<'d>(
        &'d self,
        parent: Option<&str>,
        depth: usize,
        Corner { left, top }: Corner,
        placed: &mut Vec<Placed<'d>>,
    ) -> (f64, f64) {
        let items = self.inside(parent);
        if items.is_empty() || depth > MAX_DEPTH {
            return (0.0, 0.0);
        }
        let (mut x, mut height) = (left, 0.0_f64);
        for column in self.columns(&items) {
            let (mut y, mut width) = (top, 0.0_f64);
            for item in column {
                let at = placed.len();
                placed.push(Placed { item, x, y, width: 0.0, height: 0.0, is_frame: false });
                let inside = Corner { left: x + PADDING, top: y + BOX_HEIGHT };
                let (inner_width, inner_height) = self.place(Some(&item.id), depth + 1, inside, placed);
                let own = text_width(&shown_name(item)).max(text_width(&item.ty) * 0.85) + 2.0 * PADDING;
                let is_frame = inner_height > 0.0;
                let own_width = own.max(if is_frame { inner_width + 2.0 * PADDING } else { 0.0 });
                let own_height = BOX_HEIGHT + if is_frame { inner_height + PADDING } else { 0.0 };
                if let Some(it) = placed.get_mut(at) {
                    (it.width, it.height, it.is_frame) = (own_width, own_height, is_frame);
                }
                width = width.max(own_width);
                y += own_height + ROW_GAP;
            }
            height = height.max(y - ROW_GAP - top);
            x += width + COLUMN_GAP;
        }
        (x - COLUMN_GAP - left, height)
    }

    /// Boxes in columns, each behind everything that it waits for. In a column, boxes stand near what they wait for.
    fn columns<'d>(&self, items: &[&'d DrawnBox]) -> Vec<Vec<&'d DrawnBox>> {
        let ids: BTreeSet<&str> = items.iter().map(|it| it.id.as_str()).collect();
        let mut needs: BTreeMap<&str, BTreeSet<&str>> = ids.iter().map(|id| (*id, BTreeSet::new())).collect();
        for (from, to) in self
            .arrows
            .iter()
            .filter(|(from, to)| from != to && ids.contains(to.as_str()) && ids.contains(from.as_str()))
        {
            needs.entry(from.as_str()).or_default().insert(to.as_str());
        }
        let all = needs.clone();
        let mut rows: BTreeMap<&str, f64> = BTreeMap::new();
        let mut columns: Vec<Vec<&'d DrawnBox>> = Vec::new();
        while !needs.is_empty() {
            let ready: BTreeSet<&str> =
                needs.iter().filter(|(_, set)| set.is_empty()).map(|(id, _)| *id).collect();
            // Boxes in a circle are placed together.
            let ready = if ready.is_empty() { needs.keys().copied().collect() } else { ready };
            needs.retain(|id, _| !ready.contains(id));
            needs.values_mut().for_each(|set| set.retain(|id| !ready.contains(id)));
            let mut column: Vec<&DrawnBox> =
                items.iter().filter(|it| ready.contains(it.id.as_str())).copied().collect();
            let middle = |it: &DrawnBox| {
                let places: Vec<f64> = all
                    .get(it.id.as_str())
                    .into_iter()
                    .flatten()
                    .filter_map(|id| rows.get(id))
                    .copied()
                    .collect();
                if places.is_empty() { 0.0 } else { places.iter().sum::<f64>() / places.len() as f64 }
            };
            column.sort_by(|a, b| middle(a).total_cmp(&middle(b)).then_with(|| a.id.cmp(&b.id)));
            for (row, it) in column.iter().enumerate() {
                if let Some(id) = ids.get(it.id.as_str()) {
                    rows.insert(id, row as f64);
                }
            }
            columns.push(column);
        }
        columns
    }
}

/// Frames within frames beyond this depth are left out.
const MAX_DEPTH: usize = 20;
const MARGIN: f64 = 16.0;
const PADDING: f64 = 14.0;
const BOX_HEIGHT: f64 = 46.0;
const ROW_GAP: f64 = 18.0;
const COLUMN_GAP: f64 = 64.0;

const STYLE: &str = "text{fill:#1f2328;font-size:14px}.ty{fill:#656d76;font-size:12px}rect{fill:#fff;stroke:#8c959f;stroke-width:1}\
.module{fill:#ddf4ff}.frame{fill:#f6f8fa;stroke-dasharray:4 3}.arrow{fill:none;stroke:#656d76;stroke-width:1.4}.head{fill:#656d76}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.ty{fill:#8b949e}rect{fill:#161b22;stroke:#6e7681}.module{fill:#0c2d6b}\
.frame{fill:#0d1117}.arrow{stroke:#8b949e}.head{fill:#8b949e}}";

/// The upper left corner of a box, in pixels.
#[derive(Clone, Copy)]
struct Corner {
    left: f64,
    top: f64,
}

/// A box with its place.
struct Placed<'d> {
    item: &'d DrawnBox,
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    is_frame: bool,
}

impl Placed<'_> {
    fn write(&self, out: &mut String) {
        let Self { item, x, y, width, height, is_frame } = self;
        let class = match (is_frame, item.is_module) {
            (true, _) => "frame",
            (false, true) => "module",
            (false, false) => "resource",
        };
        let (tx, ty1, ty2) = (x + PADDING, y + 19.0, y + 36.0);
        // Several of them look like a stack.
        if item.is_collection {
            let _ = writeln!(
                out,
                "<rect class=\"{class}\" x=\"{:.0}\" y=\"{:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" rx=\"5\"/>",
                x + 4.0,
                y + 4.0
            );
        }
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "<rect class=\"{class}\" x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" rx=\"5\"/>\
             <text x=\"{tx:.0}\" y=\"{ty1:.0}\">{}</text><text class=\"ty\" x=\"{tx:.0}\" y=\"{ty2:.0}\">{}</text>",
            xml(&shown_name(item)),
            xml(&item.ty)
        );
    }
}

fn shown_name(item: &DrawnBox) -> String {
    if item.is_collection { format!("{}[]", item.name) } else { item.name.clone() }
}

/// About as wide as a text of this size is drawn.
fn text_width(text: &str) -> f64 {
    text.chars().map(|c| if c.is_ascii() { 7.8 } else { 14.0 }).sum()
}

fn xml(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    clean.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn mermaid_label(item: &DrawnBox) -> String {
    let text = |text: &str| {
        text.replace('"', "#quot;").replace('<', "#lt;").replace('>', "#gt;").replace(['\r', '\n'], " ")
    };
    format!("{}<br>{}", text(&shown_name(item)), text(&item.ty))
}

fn dot_text(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(id: &str, parent: Option<&str>, is_module: bool) -> DrawnBox {
        let name = id.rsplit("::").next().unwrap_or(id).to_owned();
        let ty = if is_module { "<module>" } else { "A.B/c" }.to_owned();
        DrawnBox {
            id: id.to_owned(),
            parent: parent.map(str::to_owned),
            name,
            ty,
            is_module,
            is_collection: false,
        }
    }

    fn sample() -> Drawing {
        Drawing {
            boxes: vec![drawn("a", None, false), drawn("m", None, true), drawn("m::x", Some("m"), false)],
            arrows: vec![("m".to_owned(), "a".to_owned())],
        }
    }

    #[test]
    fn modules_are_frames_around_what_is_in_them() {
        assert_eq!(
            sample().mermaid(),
            "flowchart RL\n  n0[\"a<br>A.B/c\"]\n  subgraph n1[\"m<br>#lt;module#gt;\"]\n    n2[\"x<br>A.B/c\"]\n  end\n  n1 --> n0\n"
        );
        let dot = sample().dot();
        assert!(dot.contains("subgraph \"cluster_m\" {"), "{dot}");
        assert!(dot.contains("\"m::x\" -> \"a\" [ltail=\"cluster_m\"];"), "{dot}");
    }

    #[test]
    fn boxes_stand_behind_what_they_wait_for() {
        let drawing = sample();
        let mut placed = Vec::new();
        drawing.place(None, 0, Corner { left: 0.0, top: 0.0 }, &mut placed);
        let at = |id: &str| {
            placed.iter().find(|it| it.item.id == id).map(|it| (it.x, it.y, it.width, it.height)).unwrap()
        };
        let ((ax, _, aw, _), (mx, my, mw, mh), (xx, xy, xw, xh)) = (at("a"), at("m"), at("m::x"));
        assert!(ax + aw < mx, "the module waits for the resource");
        assert!(
            mx < xx && my < xy && xx + xw < mx + mw && xy + xh < my + mh,
            "what is in the module is inside of its frame"
        );
        assert!(drawing.svg().contains("marker-end"));
    }

    #[test]
    fn circles_are_drawn_and_nothing_becomes_markup() {
        let mut drawing = sample();
        drawing.arrows.push(("a".to_owned(), "m".to_owned()));
        drawing.boxes.iter_mut().for_each(|it| it.name = "<\"&".to_owned());
        assert!(drawing.svg().contains("&lt;&quot;&amp;"));
        assert!(drawing.mermaid().contains("#lt;#quot;&"));
    }
}
