//! What is imported is written into the template, under names that nobody can have written.

use super::check_files;

const SHARED: &str = "
    @export()
    type color = shade
    type shade = 'dark' | 'light'
    @export()
    var all = [for i in range(0, size): i]
    var size = 2
    @export()
    func paint(c color) string => '${c}'
";

#[test]
fn items_keep_their_names_and_bring_what_they_need() {
    check_files(
        &[
            (
                "main.bicep",
                "import { color as hue, all, paint } from 'lib/shared.bicep'
                param p hue
                output o string = '${paint(p)}${all}'",
            ),
            ("lib/shared.bicep", SHARED),
        ],
        r##"{"definitions": {
            "_1.shade": {"type": "string", "allowedValues": ["dark", "light"],
                "metadata": {"__bicep_imported_from!": {"sourceTemplate": "lib/shared.bicep"}}},
            "hue": {"$ref": "#/definitions/_1.shade", "metadata": {"__bicep_imported_from!":
                {"sourceTemplate": "lib/shared.bicep", "originalIdentifier": "color"}}}
        }, "functions": [{"namespace": "__bicep", "members": {"paint": {
            "parameters": [{"$ref": "#/definitions/hue", "name": "c"}],
            "output": {"type": "string", "value": "[format('{0}', parameters('c'))]"},
            "metadata": {"__bicep_imported_from!": {"sourceTemplate": "lib/shared.bicep"}}
        }}}], "variables": {
            "copy": [{"name": "all", "count": "[length(range(0, variables('_1.size')))]",
                "input": "[range(0, variables('_1.size'))[copyIndex('all')]]"}],
            "_1.size": 2
        }, "outputs": {"o": {"type": "string", "value": "[format('{0}{1}', __bicep.paint(parameters('p')), variables('all'))]"}}}"##,
    );
}

#[test]
fn wildcards_bring_everything() {
    check_files(
        &[
            (
                "sub/main.bicep",
                "import * as s from '../shared.bicep'
                param p s.color
                output o string = '${s.paint(p)}${s.all}'",
            ),
            ("shared.bicep", SHARED),
        ],
        r##"{"parameters": {"p": {"$ref": "#/definitions/_1.color"}},
            "outputs": {"o": {"type": "string",
                "value": "[format('{0}{1}', _1.paint(parameters('p')), variables('_1.all'))]"}}}"##,
    );
}

#[test]
fn templates_in_json_can_be_imported_from() {
    let json = r##"{
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0",
        "resources": [],
        "definitions": {
            "t": {"$ref": "#/definitions/u", "metadata": {"__bicep_export!": true, "x": 1}},
            "u": {"type": "object", "additionalProperties": false, "properties": {"a": {"type": "securestring", "nullable": true}}}
        },
        "variables": {"v": "[variables('w')]", "w": ["[__bicep.f('x')]"]},
        "functions": [{"namespace": "__bicep", "members": {"f": {
            "parameters": [{"name": "a", "type": "string"}], "output": {"type": "string", "value": "[parameters('a')]"}}}}],
        "metadata": {"__bicep_exported_variables!": [{"name": "v"}]}
    }"##;
    check_files(
        &[("main.bicep", "import { t, v } from 'm.json'\nparam p t\noutput o array = v"), ("m.json", json)],
        r##"{"definitions": {
            "_1.u": {"type": "object", "properties": {"a": {"type": "securestring", "nullable": true}},
                "additionalProperties": false, "metadata": {"__bicep_imported_from!": {"sourceTemplate": "m.json"}}},
            "t": {"$ref": "#/definitions/_1.u", "metadata": {"x": 1, "__bicep_imported_from!": {"sourceTemplate": "m.json"}}}
        }, "variables": {"_1.w": ["[_1.f('x')]"], "v": "[variables('_1.w')]"}}"##,
    );
}
