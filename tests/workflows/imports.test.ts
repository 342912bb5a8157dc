import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import fc from "fast-check";
import { httpDefinitions } from "../../src/connections/http-definitions.ts";
import { AppError } from "../../src/kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/kernel/json.ts";
import { catalogView } from "../../src/workflows/catalog-view.ts";
import { parseDocument } from "../../src/workflows/document.ts";
import type { Imported } from "../../src/formats/format.ts";
import { withoutAnswers } from "../../src/formats/har-import.ts";
import { importWorkflow } from "../../src/formats/index.ts";
import { validateDocument } from "../../src/workflows/validate.ts";

/*
 * What n8n, Postman, HAR and curl become: each construct is a step, a value, a connection, or named as lost.
 * Long on purpose: a list of cases, format by format.
 */

async function fixture(name: string): Promise<string> {
  return readFile(new URL(`./imports/${name}`, import.meta.url), "utf8");
}

/** Reads a text and checks what holds of every import. */
function read(text: string | JsonObject): Imported {
  const imported = importWorkflow(text);
  const all = JSON.stringify(imported);
  assert.doesNotMatch(all, /canary/, "a secret of the file is in the import");
  for (const { document } of imported.connections ?? []) httpDefinitions(document);
  const problems = validateDocument(parseDocument(imported.document), catalogView([]), null).problems;
  const others = problems.filter(({ code, severity }) => severity === "error" && code !== "tool_unknown");
  assert.deepEqual(others, [], "the document has problems beside its connections");
  return imported;
}

function step(imported: Imported, id: string): JsonObject {
  const nodes = imported.document["nodes"];
  const found = Array.isArray(nodes)
    ? nodes.find((node: Json) => isJsonObject(node) && node["id"] === id)
    : undefined;
  assert.ok(isJsonObject(found), `there is no step ${id} in ${JSON.stringify(nodes).slice(0, 2_000)}`);
  return found;
}

/** That something was named as lost, at its place. */
function assertLost(imported: Imported, pointer: string, what: RegExp): void {
  const found = imported.losses.some((loss) => loss.pointer === pointer && what.test(loss.what));
  assert.ok(found, `not lost at ${pointer}: ${what}\n${JSON.stringify(imported.losses, null, 1)}`);
}

function edges(imported: Imported): readonly string[] {
  const list = imported.document["edges"];
  return (Array.isArray(list) ? list : []).map((edge: JsonObject) => {
    const { from, to, port } = edge;
    return [from, port, to].filter((part) => typeof part === "string").join(" ");
  });
}

describe("secrets in pasted requests", () => {
  const named = (text: string): readonly string[] => text.trim().split(/\s+/);
  const headers = named(`
    Authorization Proxy-Authorization Cookie X-API-Key Api-Token X-Auth-Token X-Auth-Key X-Access-Token PRIVATE-TOKEN
    JOB-TOKEN X-Gitlab-Token X-Slack-Signature X-Shopify-Access-Token X-Twilio-Signature DD-API-KEY DD-APPLICATION-KEY
    CF-Access-Client-Secret Ocp-Apim-Subscription-Key x-functions-key X-Goog-Api-Key X-Amz-Security-Token
    X-Vault-Token X-Figma-Token x-rapidapi-key X-CSRF-Token X-XSRF-TOKEN X-Hub-Signature-256 X-Tenant X-User X-Internal`);
  const parameters = named(`
    key api_key apikey access_token token sig signature auth X-Amz-Signature X-Amz-Credential X-Amz-Security-Token
    AWSAccessKeyId oauth_token oauth_signature hapikey session sid jwt pwd pass client_secret`);
  const fields = named(`
    password passwd pwd pass client_secret refresh_token id_token code_verifier client_assertion pin otp session_id
    api_key secret_key private_key webhook_secret AuthToken signing_key csrfmiddlewaretoken credential`);

  for (const [place, names] of Object.entries({
    header: headers,
    query: parameters,
    form: fields,
    json: fields,
  })) {
    test(`in ${place} are not taken over, whatever their names`, () => {
      for (const name of names) {
        // Short and plain, so that nothing but the name tells.
        const pair = `${name}=canary`;
        const curl = {
          header: `curl https://api.example.com/v1/x -H '${name}: ${name === "Cookie" ? "a=" : ""}canary'`,
          query: `curl 'https://api.example.com/v1/x?${pair}'`,
          form: `curl https://api.example.com/v1/x -d '${pair}'`,
          json: `curl https://api.example.com/v1/x --json '${JSON.stringify({ a: { [name]: "canary" } })}'`,
        };
        const url = `https://api.example.com/v1/x${place === "query" ? `?${pair}` : ""}`;
        const text = place === "form" ? pair : JSON.stringify({ a: { [name]: "canary" } });
        const type = place === "form" ? "application/x-www-form-urlencoded" : "application/json";
        const isBody = place === "form" || place === "json";
        const request = {
          method: isBody ? "POST" : "GET",
          url,
          headers: [
            ...(place === "header" ? [{ name, value: name === "Cookie" ? "a=canary" : "canary" }] : []),
            ...(isBody ? [{ name: "content-type", value: type }] : []),
          ],
          queryString: place === "query" ? [{ name, value: "canary" }] : [],
          ...(isBody && { postData: { mimeType: type, text } }),
        };
        const content = { mimeType: "application/json", text: "{}" };
        const entries = [{ request, response: { status: 200, headers: [], content }, _resourceType: "xhr" }];
        for (const source of [
          Object.entries(curl).find(([kind]) => kind === place)?.[1] ?? "",
          { log: { version: "1.2", entries } },
        ]) {
          const imported = read(source);
          assert.equal(imported.connections?.length, 1, name);
        }
      }
    });
  }
});

describe("secrets inside of a text body", () => {
  for (const [type, text] of [
    ["text/plain", "user=a&password=canary"],
    ["text/xml", "<login><password>canary</password></login>"],
    ["application/json", JSON.stringify({ payload: JSON.stringify({ password: "canary" }) })],
    ["application/x-www-form-urlencoded", `payload=${encodeURIComponent('{"password":"canary"}')}`],
  ] as const) {
    test(`of type ${type} are asked for by the run`, () => {
      const imported = read(`curl https://api.example.com/x -H 'content-type: ${type}' -d '${text}'`);
      assert.match(JSON.stringify(imported.document["inputs"]), /password|payload|body/);
    });
  }
});

describe("secrets that only their values or their neighbours tell", () => {
  const token = "Zq7Xk92canaryW04sTbQ8vEr";
  for (const [what, body] of Object.entries({
    "the address of a database": { target: "postgres://ada:canary@db.example.com/x" },
    "the address of a webhook": { notify: `https://hooks.example.com/services/T0/B0/${token}` },
    "a private key": { pem: "-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----" },
    "a pair of name and value": { headers: [{ name: "Authorization", value: "Token canary" }] },
    "a pair of key and value": { env: [{ key: "DB_PASSWORD", value: "canary" }] },
    "a list of two": { params: [["api_key", "canary"]] },
    "other names": { login: { pw: "canary" }, mnemonic: "canary above able", devkey: "canary" },
  })) {
    test(`are not taken over: ${what}`, () => {
      read(`curl https://api.example.com/x --json '${JSON.stringify(body)}'`);
    });
  }

  test("are not taken over: a session in the path", () => {
    read("curl 'https://api.example.com/orders;jsessionid=canary1234/lines'");
  });
});

describe("curl commands", () => {
  test("become steps of connections in their order", async () => {
    const imported = read(await fixture("orders.curl.sh"));
    assert.equal(imported.format, "curl");
    assert.deepEqual(step(imported, "get_v1_orders")["with"], {
      query: { state: "open", limit: "20" },
      header: { Accept: "application/json" },
    });
    assert.deepEqual(step(imported, "post_v1_orders"), {
      id: "post_v1_orders",
      type: "tool",
      title: "POST /v1/orders",
      tool: "api-shop-example:post_v1_orders",
      with: { body: { item: "tea", count: 2, customer: { email: "ada@example.com" } } },
      retry: { maxAttempts: 4 },
      timeoutMs: 10_000,
    });
    assert.deepEqual(step(imported, "post_shipments_labels")["with"], {
      path: { shipmentId: 4711 },
      body: { note: "ready to ship", label: "" },
    });
    assert.deepEqual(step(imported, "get_v1_search")["with"], { query: { q: "black tea & milk" } });
    assert.deepEqual(
      imported.connections?.map(({ name, url, credential }) => [name, url, credential]),
      [
        [
          "api-shop-example",
          "https://api.shop.example",
          {
            kind: "bearer",
            hosts: ["api.shop.example"],
            places: ["/line/2/header/Authorization", "/line/6/header/Authorization"],
          },
        ],
        [
          "depot-example-8443",
          "https://depot.example:8443",
          { kind: "basic", username: "ops", hosts: ["depot.example:8443"], places: ["/line/11/user"] },
        ],
      ],
    );
    // The variable stood only beside a secret: it is not asked for.
    assert.deepEqual(imported.document["inputs"], { type: "object", properties: {} });
    assertLost(imported, "/line/11", /answer after the command/);
    assertLost(imported, "/line/11/form/label", /file of the field "label"/);
    assertLost(imported, "/line/14", /--insecure/);
    assertLost(imported, "/line/15", /The command "echo"/);
  });

  test("are read as a shell reads them", () => {
    const [quotes, windows] = [
      read(`curl 'https://a.example/x' -H 'X-Text: it'\\''s' --data-raw $'{"a": "caf\\u00e9"}'`),
      read('curl ^"https://a.example/x?y=1^" ^\r\n  -H ^"X-One: 1^" ^\r\n  --data-raw ^"{^\\^"a^\\^":1}^"'),
    ];
    assert.deepEqual(step(quotes, "post_x")["with"], {
      header: { "X-Text": { $ref: "$inputs.X_Text" } },
      body: { a: "café" },
    });
    assert.deepEqual(step(windows, "post_x")["with"], {
      query: { y: "1" },
      header: { "X-One": { $ref: "$inputs.X_One" } },
      body: { a: 1 },
    });
    const many = read(
      'curl -sSLXDELETE "$BASE/orders/${ID}" && curl --request PUT --url=https://a.example/x -d a=1 -d "b=$NAME" --next https://a.example/y',
    );
    assert.deepEqual(step(many, "delete_orders_ID")["with"] ?? null, {
      path: { ID: { $ref: "$inputs.ID" } },
    });
    assert.equal(many.connections?.[0]?.url, null, "the address is only a variable");
    assert.deepEqual(step(many, "put_x")["with"], { body: { a: "1", b: { $ref: "$inputs.NAME" } } });
    assert.equal(step(many, "get_y")["tool"], "a-example:get_y");
    const inputs = many.document["inputs"];
    assert.deepEqual(isJsonObject(inputs) && inputs["required"], ["ID", "NAME"]);
  });

  test("lose tokens in paths, too", () => {
    const imported = read(
      'curl -d \'{"text":"hi"}\' https://hooks.example/services/T0001/canaryAAAA1111bbbbCCCC22',
    );
    const [connection] = imported.connections ?? [];
    assert.match(JSON.stringify(connection?.document), /\/services\/T0001\/\{secret\}/);
    assertLost(imported, "/line/1", /secret value/);
  });
});

describe("Postman collections", () => {
  test("of version 2.1 become steps with variables, scripts and authentication", async () => {
    const imported = read(await fixture("orders.postman.json"));
    assert.equal(imported.format, "postman");
    assert.equal(imported.name, "Orders API");
    assert.deepEqual(step(imported, "Create_order")["with"], {
      header: { "X-Warehouse": { $ref: "$inputs.warehouse", default: "north" } },
      body: {
        item: "tea",
        count: { $ref: "$inputs.count" },
        note: { $expr: '"for " + string(inputs.customer)' },
        apiSecret: { $ref: "$inputs.apiSecret" },
      },
    });
    // The script of the first request hands the id to the second.
    assert.deepEqual(step(imported, "Get_order")["with"], {
      path: { id: { $ref: "$steps.Create_order.outputs#/data/body/data/id" } },
      query: { expand: "lines", trace: { $ref: "$inputs.guid" } },
    });
    assert.deepEqual(step(imported, "Find_lines")["with"], {
      body: {
        query: "query Lines($id: ID!) { lines(order: $id) { sku } }",
        variables: { id: { $ref: "$steps.Create_order.outputs#/data/body/data/id" } },
      },
    });
    assert.deepEqual(step(imported, "Upload_invoice")["with"], {
      path: { year: { $ref: "$inputs.year", default: "2026" } },
      body: { title: "Invoice", file: "" },
    });
    assert.deepEqual(
      imported.connections?.map(({ name, credential }) => [
        name,
        credential?.["kind"],
        credential?.["parameter"],
      ]),
      [
        ["api-shop-example", "bearer", undefined],
        ["files-shop-example", "apiKey", "X-Files-Key"],
        ["cloud-example", "other", undefined],
      ],
    );
    assertLost(imported, "/event/0", /script before "Orders API"/);
    assertLost(imported, "/item", /folders/);
    assertLost(imported, "/item/0/item/0/response", /1 saved example/);
    assertLost(imported, "/item/0/item/0/request/header/1", /switched-off header "X-Debug"/);
    assertLost(imported, "/item/0/item/0/request/body/apiSecret", /secret value of "apiSecret"/);
    assertLost(imported, "/item/0/item/1/request/url/query/1", /\$guid/);
    assertLost(imported, "/item/0/item/1/event/0", /test script of "Get order"/);
    assertLost(imported, "/item/1/request/body/formdata/1", /file of the field "file"/);
    assertLost(imported, "/item/2/request/auth", /awsv4/);
  });

  test("of version 2.0, wrapped and in a list, are read", async () => {
    const text = await fixture("orders-v20.postman.json");
    const imported = read(text);
    assert.deepEqual(step(imported, "Sign_in")["with"], {
      header: { "X-Client": { $ref: "$inputs.X_Client" } },
      body: { scope: "orders", password: { $ref: "$inputs.password" } },
    });
    assert.deepEqual(imported.connections?.[0]?.credential, {
      kind: "basic",
      username: "clerk",
      hosts: ["till.example"],
      places: ["/item/0/request/auth"],
    });
    assertLost(imported, "/item/2", /item "Nothing"/);
    assert.deepEqual(read(`{"collection": ${text}}`).document, imported.document);
    assert.deepEqual(read(`[${text}]`).document, imported.document);
  });
});

describe("HTTP archives", () => {
  test("become the calls of the API without what the page loads", async () => {
    const text = await fixture("session.har.json");
    const imported = read(text);
    assert.equal(imported.name, "Shop back office");
    assert.equal(step(imported, "get_customers_orders")["title"], "GET /v1/customers/{customerId}/orders");
    assert.deepEqual(step(imported, "get_customers_orders")["with"], {
      path: { customerId: 42 },
      query: { state: "open" },
      header: { "x-client-version": "7" },
    });
    assert.deepEqual(step(imported, "post_customers_orders")["with"], {
      path: { customerId: 43 },
      body: { item: "tea", count: 2, password: { $ref: "$inputs.password" } },
    });
    // Both reads are one operation with another id.
    assert.equal(
      step(imported, "get_customers_orders")["tool"],
      step(imported, "get_customers_orders_2")["tool"],
    );
    assert.equal(imported.connections?.[0]?.document.requests.length, 2);
    assert.deepEqual(imported.connections?.[0]?.credential, {
      kind: "apiKey",
      in: "query",
      parameter: "api_key",
      hosts: ["api.shop.example"],
      places: ["/log/entries/3/url"],
    });
    assertLost(imported, "/log/entries", /3 of 6 requests/);
    assertLost(imported, "/log/entries", /depends on the answer/);
    assertLost(imported, "/log/entries/3/request/headers/4", /second credential \(cookie session\)/);
    const given: unknown = JSON.parse(text);
    assert.ok(isJsonObject(given));
    assert.deepEqual(read(withoutAnswers(given)), imported);
  });
});

describe("n8n workflows", () => {
  test("become steps, conditions and references", async () => {
    const imported = read(await fixture("order-intake.n8n.json"));
    assert.equal(imported.format, "n8n");
    assert.deepEqual(step(imported, "Get_customer"), {
      id: "Get_customer",
      title: "Get customer",
      type: "tool",
      tool: "api-shop-example:Get_customer",
      with: { path: { customerId: { $ref: "$inputs.body#/customerId" } }, query: { expand: "address" } },
      timeoutMs: 5_000,
      retry: { maxAttempts: 4, backoffMs: 2_000 },
    });
    assert.deepEqual(step(imported, "Good_credit")["cases"], [
      {
        name: "yes",
        when: '(steps.Get_customer.outputs.data.body.credit >= 100) && (inputs.body.country == "DE")',
      },
    ]);
    assert.deepEqual(step(imported, "Order_fields")["value"], {
      item: { $ref: "$inputs.body#/item" },
      count: 2,
      greeting: { $expr: '"Hello " + string(steps.Get_customer.outputs.data.body.name) + "!"' },
      due: { $ref: "$inputs.order_fields_days_toiso" },
    });
    assert.deepEqual(step(imported, "Wait")["wait"], { ms: 120_000 });
    // Through the wait, the data is still that of the step before it.
    assert.deepEqual(step(imported, "Place_order")["with"], {
      body: {
        item: { $ref: "$steps.Order_fields.outputs#/item" },
        count: { $ref: "$steps.Order_fields.outputs#/count" },
        customer: { $ref: "$steps.Get_customer.outputs#/data/body" },
      },
    });
    assert.equal(step(imported, "Tell_sales")["type"], "handoff");
    assert.deepEqual(edges(imported), [
      "Get_customer success Good_credit",
      "Good_credit case:yes Order_fields",
      "Order_fields success Wait",
      "Wait success Place_order",
      "Place_order success Respond",
      "Good_credit default Tell_sales",
      "Place_order error Tell_sales",
      "Tell_sales success Compute",
      "Compute success Kind",
      "Kind case:big Merge",
      "Kind default Merge",
      "Kind case:odd_name Merge",
    ]);
    assert.deepEqual(imported.document["outputs"], {
      response: { $ref: "$steps.Respond.outputs", default: null },
    });
    assert.deepEqual(imported.connections?.[0]?.credential, {
      kind: "bearer",
      called: "Shop token",
      hosts: ["api.shop.example"],
      places: ["/nodes/2/credentials/httpBearerAuth"],
    });
    const losses: readonly (readonly [string, RegExp])[] = [
      ["/nodes/0", /The address of "Webhook"/],
      ["/nodes/1", /The note/],
      ["/nodes/2/parameters/options/response", /option "response"/],
      ["/nodes/4", /\$now\.plus/],
      ["/nodes/6/parameters/headerParameters/parameters/0", /second credential \(header X-Api-Key\)/],
      ["/nodes/8", /n8n-nodes-base\.slack/],
      ["/nodes/9", /The code of "Compute"/],
      ["/nodes/10", /switched-off node "Old step"/],
      ["/nodes/11", /regex/],
      ["/nodes/13", /merges \(combine\)/],
      ["/nodes/14", /repeats steps/],
      ["/connections/Loop", /back to "Merge"/],
      ["/connections/Model/ai_languageModel", /ai_languageModel/],
      ["/pinData", /Pinned/],
      ["/settings/errorWorkflow", /errorWorkflow/],
    ];
    for (const [pointer, what] of losses) assertLost(imported, pointer, what);
  });

  test("of the first generation are read, and a step that may not have run gives null", () => {
    const node = (name: string, type: string, parameters: JsonObject, more: JsonObject = {}): JsonObject => ({
      name,
      type: `n8n-nodes-base.${type}`,
      typeVersion: 1,
      parameters,
      position: [0, 0],
      ...more,
    });
    const to = (...names: readonly string[]): JsonObject => ({
      main: names.map((name) => (name === "" ? [] : [{ node: name, type: "main", index: 0 }])),
    });
    const imported = read({
      name: "Old",
      nodes: [
        node("Start", "start", {}),
        node("Check", "if", {
          conditions: { number: [{ value1: '={{$json["amount"]}}', operation: "larger", value2: 5 }] },
        }),
        node(
          "Ask",
          "httpRequest",
          {
            requestMethod: "POST",
            url: "https://a.example/x",
            jsonParameters: false,
            bodyParametersUi: { parameter: [{ name: "who", value: "={{ $json.who }}" }] },
            headerParametersUi: { parameter: [{ name: "X-Trace", value: "1" }] },
          },
          { continueOnFail: true },
        ),
        node("Shape", "set", {
          keepOnlySet: true,
          values: { string: [{ name: "got", value: '={{$node["Ask"].json["id"]}}' }] },
        }),
        node("Sort", "switch", {
          dataType: "string",
          value1: "={{ $json.got }}",
          rules: {
            rules: [
              { operation: "equal", value2: "a" },
              { operation: "contains", value2: "b", output: 1 },
            ],
          },
          fallbackOutput: 2,
        }),
        node("A", "noOp", {}),
        node("Vars", "set", {
          keepOnlySet: true,
          values: { string: [{ name: "k", value: "={{ $env.API_TOKEN }}" }] },
        }),
      ],
      connections: {
        Start: to("Check"),
        Check: to("Ask", "Shape"),
        Ask: to("Shape"),
        Shape: to("Sort"),
        Sort: to("A", "Vars", "Vars"),
      },
    });
    assert.deepEqual(step(imported, "Check")["cases"], [{ name: "yes", when: "inputs.amount > 5" }]);
    assert.deepEqual(step(imported, "Ask")["with"], {
      header: { "X-Trace": { $ref: "$inputs.X_Trace" } },
      body: { who: { $ref: "$inputs.who" } },
    });
    assert.deepEqual(step(imported, "Shape")["value"], {
      got: { $ref: "$steps.Ask.outputs#/data/body/id", default: null },
    });
    assert.deepEqual(step(imported, "Sort")["cases"], [
      { name: "case_1", when: 'steps.Shape.outputs.got == "a"' },
      { name: "case_2", when: 'steps.Shape.outputs.got.contains("b")' },
    ]);
    assert.ok(edges(imported).includes("Ask error Shape"), "a step that goes on after a failure");
    assert.ok(edges(imported).includes("Sort default Vars"));
    assertLost(imported, "/nodes/6", /variable "API_TOKEN"/);
  });
});

describe("hostile imports", () => {
  test("are bounded in time and in size", () => {
    const nested = (depth: number): JsonObject =>
      depth === 0
        ? { name: "deep", request: "https://a.example/x" }
        : { name: "folder", item: [nested(depth - 1)] };
    const wide = Array.from({ length: 3_000 }, (_, index) => ({
      name: `n${index}`,
      type: "n8n-nodes-base.noOp",
      parameters: {},
    }));
    const everyTwo = Object.fromEntries(
      wide.map(({ name }, index) => [
        name,
        {
          main: [
            [1, 2, 3, 4].map((step) => ({ node: `n${(index + step * 7) % 3_000}`, type: "main", index: 0 })),
          ],
        },
      ]),
    );
    const cases: readonly (string | JsonObject)[] = [
      { info: { name: "deep" }, item: [nested(60), { name: "one", request: "https://a.example/x" }] },
      {
        info: { name: "x" },
        item: [{ name: "a", request: { url: "{{a}}", method: "GET" } }],
        variable: [{ key: "a", value: "{{a}}{{a}}" }],
      },
      { name: "circle", nodes: wide, connections: everyTwo },
      `curl https://a.example/${"x/".repeat(50_000)}`,
      `curl https://a.example ${"-H 'a: b' ".repeat(20_000)}`,
      `curl "${"$A".repeat(50_000)}"`,
      `curl https://a.example -d '${"{".repeat(100_000)}'`,
      `curl ${"\\\n".repeat(100_000)} https://a.example`,
      `curl https://a.example -d "${"a=1&".repeat(50_000)}"`,
    ];
    for (const given of cases) {
      const started = performance.now();
      try {
        const imported = importWorkflow(given);
        assert.ok(imported.losses.length <= 501);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
      }
      // Generous: what is quadratic here takes minutes.
      assert.ok(performance.now() - started < 10_000, `slow: ${JSON.stringify(given).slice(0, 80)}`);
    }
  });

  test("of any shape give a document or a refusal, never another failure", () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    const shapes = fc.oneof(
      fc.record({
        info: fc.record({ name: fc.string() }),
        item: fc.array(fc.record({ name: json, request: json, event: json, auth: json })),
      }),
      fc.record({
        log: fc.record({
          entries: fc.array(
            fc.record({
              request: fc.record({
                url: fc.constantFrom("https://a.example/x", "x"),
                method: json,
                headers: json,
                postData: json,
              }),
              response: json,
            }),
          ),
        }),
      }),
      fc.record({
        nodes: fc.array(
          fc.record({
            name: fc.constantFrom("a", "b", "__proto__"),
            type: fc.constantFrom(
              "n8n-nodes-base.httpRequest",
              "n8n-nodes-base.if",
              "n8n-nodes-base.set",
              "n8n-nodes-base.switch",
              "x.y",
            ),
            parameters: json,
            position: json,
          }),
        ),
        connections: fc.dictionary(fc.constantFrom("a", "b"), json),
      }),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          shapes,
          fc.string().map((text) => `curl ${text}`),
        ),
        (given) => {
          try {
            const text = typeof given === "string" ? given : JSON.stringify(given);
            const imported = importWorkflow(text);
            parseDocument(imported.document);
            for (const { document } of imported.connections ?? []) httpDefinitions(document);
          } catch (error) {
            if (!(error instanceof AppError)) throw error;
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
