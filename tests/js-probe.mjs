// Azure's SDK for JavaScript against a server that speaks Azure's Deployments API.
//
// usage: node js-probe.mjs URL      beside a folder node_modules with the packages of js-probe.sh
//
// Prints PASS or FAIL and a step's name on a line each, then how many; exits with 1 if a step failed.
import assert from "node:assert/strict";
import { ResourceManagementClient } from "@azure/arm-resources";
import { DeploymentsClient } from "@azure/arm-resourcesdeployments";
import { DeploymentStacksClient } from "@azure/arm-resourcesdeploymentstacks";

const url = process.argv[2];
const subscription = "00000000-0000-0000-0000-000000000001";
const group = "js-probe";
const schema = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";
const identity = "Microsoft.ManagedIdentity/userAssignedIdentities";
const version = "2023-01-31";

const credential = {
  getToken: async () => ({ token: "any", expiresOnTimestamp: Date.now() + 3_600_000 }),
};
// Clients of one generation call the address `endpoint`, those of the next `baseUrl` or `$host`.
const options = { endpoint: url, baseUrl: url, $host: url, retryOptions: { maxRetries: 0 } };
const resources = new ResourceManagementClient(credential, subscription, options);
const { deployments, deploymentOperations } = new DeploymentsClient(credential, subscription, options);
const { deploymentStacks: stacks } = new DeploymentStacksClient(credential, subscription, options);

const template = {
  $schema: schema,
  contentVersion: "1.0.0.0",
  parameters: { name: { type: "string", minLength: 3 } },
  resources: [{
    type: identity,
    apiVersion: version,
    name: "[parameters('name')]",
    location: "[resourceGroup().location]",
    tags: { "made-by": "probe" },
  }],
  outputs: {
    id: { type: "string", value: `[resourceId('${identity}', parameters('name'))]` },
    sum: { type: "int", value: "[add(40, 2)]" },
  },
};
const properties = (name, more = {}) => ({
  properties: { mode: "Incremental", template, parameters: { name: { value: name } }, ...more },
});
const idOf = (name) =>
  `/subscriptions/${subscription}/resourceGroups/${group}/providers/${identity}/${name}`;
const empty = { $schema: schema, contentVersion: "1.0.0.0", resources: [] };

const all = async (pages) => {
  const items = [];
  for await (const item of pages) items.push(item);
  return items;
};
const refused = async (promise, status, code) => {
  const error = await promise.then(() => assert.fail("it was not refused"), (error) => error);
  assert.equal(error.statusCode, status, String(error));
  assert.equal(error.code, code, String(error));
};

let [passed, failed] = [0, 0];
const step = async (name, run) => {
  try {
    await run();
    passed += 1;
    console.log(`PASS ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name}: ${String(error.message ?? error).split("\n").slice(0, 6).join(" ")}`);
  }
};

await step("create a resource group", async () => {
  const made = await resources.resourceGroups.createOrUpdate(group, { location: "westeurope", tags: { a: "b" } });
  assert.equal(made.name, group);
  assert.equal(made.properties.provisioningState, "Succeeded");
});
await step("get, list and check the group", async () => {
  assert.equal((await resources.resourceGroups.get(group)).location, "westeurope");
  assert.ok((await all(resources.resourceGroups.list())).some((it) => it.name === group));
  assert.ok((await resources.resourceGroups.checkExistence(group)).body);
  assert.ok(!(await resources.resourceGroups.checkExistence("no-such-group")).body);
});
await step("a group that is not there is a 404", () =>
  refused(resources.resourceGroups.get("no-such-group"), 404, "ResourceGroupNotFound"));
await step("deploy", async () => {
  const done = await deployments.createOrUpdate(group, "first", properties("probe"));
  assert.equal(done.properties.provisioningState, "Succeeded");
  assert.equal(done.properties.outputs.sum.value, 42);
  assert.equal(done.properties.outputs.id.value.toLowerCase(), idOf("probe").toLowerCase());
});
await step("get the deployment", async () => {
  const found = await deployments.get(group, "first");
  assert.equal(found.properties.parameters.name.value, "probe");
  assert.ok(found.properties.templateHash);
  assert.ok(found.properties.timestamp instanceof Date);
});
await step("list deployments", async () => {
  const names = (await all(deployments.listByResourceGroup(group))).map((it) => it.name);
  assert.deepEqual(names, ["first"]);
  const none = await all(deployments.listByResourceGroup(group, { filter: "provisioningState eq 'Failed'" }));
  assert.equal(none.length, 0);
});
await step("pages of a list", async () => {
  for (const name of ["second", "third"]) await deployments.createOrUpdate(group, name, properties(name));
  const pages = deployments.listByResourceGroup(group, { top: 2 }).byPage();
  const sizes = [];
  for await (const page of pages) sizes.push(page.length);
  assert.deepEqual(sizes, [2, 1]);
});
await step("check a deployment's existence", async () => {
  assert.ok((await deployments.checkExistence(group, "first")).body);
  assert.ok(!(await deployments.checkExistence(group, "no-such-deployment")).body);
});
await step("operations", async () => {
  const found = await all(deploymentOperations.list(group, "first"));
  const targets = found.map((it) => it.properties.targetResource?.id?.toLowerCase());
  assert.ok(targets.includes(idOf("probe").toLowerCase()), JSON.stringify(targets));
  const one = await deploymentOperations.get(group, "first", found[0].operationId);
  assert.equal(one.operationId, found[0].operationId);
});
await step("export the template of a deployment", async () => {
  assert.equal((await deployments.exportTemplate(group, "first")).template.$schema, schema);
});
await step("validate", async () => {
  const found = await deployments.validate(group, "checked", properties("probe"));
  assert.equal(found.properties.provisioningState, "Succeeded");
});
await step("validate what is wrong", () =>
  refused(deployments.validate(group, "checked", properties("x")).then((found) => {
    throw Object.assign(new Error(), { statusCode: 400, code: found.error?.code });
  }), 400, "InvalidTemplate"));
await step("what-if", async () => {
  const found = await deployments.whatIf(group, "asked", properties("other"));
  assert.equal(found.status, "Succeeded");
  const changes = (found.changes ?? found.properties?.changes).map((it) => it.changeType);
  assert.ok(changes.includes("Create") && changes.includes("Ignore"), changes);
});
await step("hash of a template", async () => {
  assert.match((await deployments.calculateTemplateHash(template)).templateHash, /^\d+$/);
});
await step("a template that fails says why", async () => {
  const broken = { ...template, outputs: { bad: { type: "int", value: "[int(parameters('name'))]" } } };
  const failing = deployments.createOrUpdate(group, "broken", properties("probe", { template: broken }));
  const error = await failing.then(() => assert.fail("it did not fail"), (error) => error);
  assert.match(`${error.code} ${error.message}`, /Deployment|Template/);
});
await step("a deployment at subscription scope makes a group", async () => {
  const template = {
    ...empty,
    $schema: schema.replace("deploymentTemplate", "subscriptionDeploymentTemplate").replace("2019-04-01", "2018-05-01"),
    resources: [{ type: "Microsoft.Resources/resourceGroups", apiVersion: "2021-04-01", name: "js-made", location: "westeurope" }],
  };
  const done = await deployments.createOrUpdateAtSubscriptionScope("whole", {
    location: "westeurope",
    properties: { mode: "Incremental", template },
  });
  assert.equal(done.properties.provisioningState, "Succeeded");
  assert.equal((await resources.resourceGroups.get("js-made")).name, "js-made");
});
await step("deployments at tenant and management group scope", async () => {
  const scoped = (name) => ({
    location: "westeurope",
    properties: {
      mode: "Incremental",
      template: { ...empty, $schema: schema.replace("deploymentTemplate", name).replace("2019-04-01", "2019-08-01") },
    },
  });
  await deployments.createOrUpdateAtTenantScope("top", scoped("tenantDeploymentTemplate"));
  assert.equal((await deployments.getAtTenantScope("top")).properties.provisioningState, "Succeeded");
  await deployments.createOrUpdateAtManagementGroupScope("mg", "top", scoped("managementGroupDeploymentTemplate"));
  assert.equal((await deployments.getAtManagementGroupScope("mg", "top")).properties.provisioningState, "Succeeded");
});
await step("get a resource by its id", async () => {
  const found = await resources.resources.getById(idOf("probe"), version);
  assert.equal(found.name, "probe");
  assert.deepEqual(found.tags, { "made-by": "probe" });
});
await step("list resources with a filter", async () => {
  const found = await all(resources.resources.listByResourceGroup(group, { filter: `resourceType eq '${identity}'` }));
  assert.deepEqual(found.map((it) => it.name).sort(), ["probe", "second", "third"]);
});
await step("make, change and remove a resource", async () => {
  const id = idOf("direct");
  await resources.resources.beginCreateOrUpdateByIdAndWait(id, version, { location: "westeurope" });
  await resources.resources.beginUpdateByIdAndWait(id, version, { tags: { changed: "yes" } });
  assert.equal((await resources.resources.getById(id, version)).tags.changed, "yes");
  await resources.resources.beginDeleteByIdAndWait(id, version);
  await refused(resources.resources.getById(id, version), 404, "ResourceNotFound");
});
await step("tags of a resource", async () => {
  await resources.tagsOperations.beginUpdateAtScopeAndWait(idOf("probe"), {
    operation: "Merge",
    properties: { tags: { more: "1" } },
  });
  const found = await resources.tagsOperations.getAtScope(idOf("probe"));
  assert.deepEqual(found.properties.tags, { "made-by": "probe", more: "1" });
});
await step("names and values of tags", async () => {
  await resources.tagsOperations.createOrUpdate("cost");
  await resources.tagsOperations.createOrUpdateValue("cost", "center");
  const found = (await all(resources.tagsOperations.list())).find((it) => it.tagName === "cost");
  assert.deepEqual(found?.values?.map((it) => it.tagValue), ["center"]);
  await resources.tagsOperations.deleteValue("cost", "center");
  await resources.tagsOperations.delete("cost");
  assert.ok(!(await all(resources.tagsOperations.list())).some((it) => it.tagName === "cost"));
});
await step("providers", async () => {
  const found = await resources.providers.get("Microsoft.Resources");
  assert.ok(found.resourceTypes.some((it) => it.resourceType === "deployments"));
});
await step("export a group", async () => {
  const found = await resources.resourceGroups.beginExportTemplateAndWait(group, { resources: ["*"] });
  assert.equal(found.template.resources.length, 3);
});
await step("a deployment stack", async () => {
  const stack = {
    actionOnUnmanage: { resources: "delete", resourceGroups: "detach", managementGroups: "detach" },
    denySettings: { mode: "none" },
    template,
    parameters: { name: { value: "stacked" } },
  };
  const made = await stacks.beginCreateOrUpdateAtResourceGroupAndWait(group, "stack", stack);
  assert.equal(made.provisioningState?.toLowerCase(), "succeeded");
  assert.deepEqual(made.resources.map((it) => it.id.toLowerCase()), [idOf("stacked").toLowerCase()]);
  assert.ok((await all(stacks.listAtResourceGroup(group))).some((it) => it.name === "stack"));
  await stacks.beginDeleteAtResourceGroupAndWait(group, "stack", { unmanageActionResources: "delete" });
  await refused(resources.resources.getById(idOf("stacked"), version), 404, "ResourceNotFound");
});
await step("cancel what runs", async () => {
  const wait = {
    ...empty,
    languageVersion: "2.0",
    resources: {
      late: {
        type: identity, apiVersion: version, name: "late", location: "westeurope",
        "@options": { waitUntil: ["[equals('a', 'b')]", "PT60S"] },
      },
    },
  };
  const poller = deployments.createOrUpdate(group, "canceled", { properties: { mode: "Incremental", template: wait } });
  await poller.submitted();
  await deployments.cancel(group, "canceled");
  await poller.then(() => assert.fail("it was not cancelled"), () => {});
  assert.equal((await deployments.get(group, "canceled")).properties.provisioningState, "Canceled");
});
await step("delete a deployment", async () => {
  await deployments.delete(group, "first");
  assert.ok(!(await deployments.checkExistence(group, "first")).body);
});
await step("delete the group", async () => {
  await resources.resourceGroups.beginDeleteAndWait(group);
  assert.ok(!(await resources.resourceGroups.checkExistence(group)).body);
});

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
