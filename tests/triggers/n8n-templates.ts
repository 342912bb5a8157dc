/*
 * Documents of our own in the shape of public n8n templates: each starts with a schedule, a webhook or a form, and asks
 * or tells a server something.
 */

/** A template, what its trigger becomes, and what a sender would send. */
export interface Template {
  readonly name: string;
  readonly document: object;
  readonly trigger: Readonly<Record<string, unknown>>;
  readonly sent?: Readonly<Record<string, string>>;
  /** What the server is to receive, as `METHOD path` and a part of the body. */
  readonly received: readonly (readonly [request: string, body: RegExp])[];
}

interface Part {
  readonly name: string;
  readonly type: string;
  readonly parameters: object;
}

/** Nodes in a row, as n8n writes them. */
function inRow(name: string, parts: readonly Part[], settings: object = {}): object {
  return {
    name,
    nodes: parts.map((part, index) => ({
      id: `0f-${index}`,
      name: part.name,
      type: `n8n-nodes-base.${part.type}`,
      typeVersion: part.type === "httpRequest" ? 4.2 : 1,
      position: [index * 220, 300],
      parameters: part.parameters,
    })),
    connections: Object.fromEntries(
      parts
        .slice(1)
        .map((part, index) => [
          parts[index]?.name ?? "",
          { main: [[{ node: part.name, type: "main", index: 0 }]] },
        ]),
    ),
    active: false,
    settings: { executionOrder: "v1", ...settings },
    pinData: {},
  };
}

const get = (name: string, url: string): Part => ({
  name,
  type: "httpRequest",
  parameters: { url, options: {} },
});
const post = (name: string, url: string, jsonBody: string): Part => ({
  name,
  type: "httpRequest",
  parameters: { method: "POST", url, sendBody: true, specifyBody: "json", jsonBody, options: {} },
});
const schedule = (...interval: readonly object[]): Part => ({
  name: "Schedule Trigger",
  type: "scheduleTrigger",
  parameters: { rule: { interval } },
});
const form = (formTitle: string, ...values: readonly object[]): Part => ({
  name: "On form submission",
  type: "formTrigger",
  parameters: { formTitle, formDescription: "We answer within a day.", formFields: { values }, options: {} },
});

/** The ten templates, with the address of the server that they call. */
export function templates(url: string): readonly Template[] {
  return [
    {
      name: "Daily weather in the chat",
      document: inRow("Daily weather in the chat", [
        schedule({ triggerAtHour: 7 }),
        get("Get weather", `${url}/weather`),
        post("Post to chat", `${url}/chat`, '={"text": "{{ $json.summary }}"}'),
      ]),
      trigger: { kind: "schedule", cron: "0 7 * * *" },
      received: [
        ["GET /weather", /^$/],
        ["POST /chat", /Sunny/],
      ],
    },
    {
      name: "Uptime check",
      document: inRow("Uptime check", [
        schedule({ field: "minutes", minutesInterval: 15 }),
        get("Check site", `${url}/weather`),
      ]),
      trigger: { kind: "schedule", everySeconds: 900 },
      received: [["GET /weather", /^$/]],
    },
    {
      name: "Weekly report",
      document: inRow(
        "Weekly report",
        [
          schedule({ field: "weeks", triggerAtDay: [1, 4], triggerAtHour: 9, triggerAtMinute: 30 }),
          get("Read figures", `${url}/weather`),
          post("Send report", `${url}/chat`, '={"text": "Report: {{ $json.summary }}"}'),
        ],
        { timezone: "Europe/Berlin" },
      ),
      trigger: { kind: "schedule", cron: "30 9 * * 1,4", timeZone: "Europe/Berlin" },
      received: [
        ["GET /weather", /^$/],
        ["POST /chat", /Report: Sunny/],
      ],
    },
    {
      name: "Workday reminder",
      document: inRow("Workday reminder", [
        schedule({ field: "cronExpression", expression: "0 8 * * 1-5" }),
        post("Remind", `${url}/chat`, '{"text": "Time sheets, please."}'),
      ]),
      trigger: { kind: "schedule", cron: "0 8 * * 1-5" },
      received: [["POST /chat", /Time sheets/]],
    },
    {
      name: "Nightly export",
      document: inRow("Nightly export", [
        {
          name: "Cron",
          type: "cron",
          parameters: { triggerTimes: { item: [{ mode: "everyDay", hour: 2, minute: 15 }] } },
        },
        post("Export", `${url}/orders`, '{"kind": "export"}'),
      ]),
      trigger: { kind: "schedule", cron: "15 2 * * *" },
      received: [["POST /orders", /export/]],
    },
    {
      name: "Poll a queue",
      document: inRow("Poll a queue", [
        { name: "Interval", type: "interval", parameters: { interval: 2, unit: "hours" } },
        get("Look", `${url}/weather`),
      ]),
      trigger: { kind: "schedule", everySeconds: 7_200 },
      received: [["GET /weather", /^$/]],
    },
    {
      name: "Lead intake",
      document: inRow("Lead intake", [
        { name: "Webhook", type: "webhook", parameters: { httpMethod: "POST", path: "lead", options: {} } },
        post("Add to CRM", `${url}/orders`, '={"email": "{{ $json.body.email }}"}'),
      ]),
      trigger: { kind: "webhook", verifier: "token" },
      sent: { email: "mia@example.com" },
      received: [["POST /orders", /mia@example\.com/]],
    },
    {
      name: "Weather on request",
      document: inRow("Weather on request", [
        {
          name: "Webhook",
          type: "webhook",
          parameters: { httpMethod: "POST", path: "weather", responseMode: "responseNode" },
        },
        post("Log request", `${url}/chat`, '={"text": "{{ $json.body.city }}"}'),
        get("Get weather", `${url}/weather`),
        {
          name: "Respond to Webhook",
          type: "respondToWebhook",
          parameters: { respondWith: "json", responseBody: '={"answer": "{{ $json.summary }}"}' },
        },
      ]),
      trigger: { kind: "webhook", waitSeconds: 30 },
      sent: { city: "Oslo" },
      received: [
        ["POST /chat", /Oslo/],
        ["GET /weather", /^$/],
      ],
    },
    {
      name: "Contact form",
      document: inRow("Contact form", [
        form(
          "Contact us",
          { fieldLabel: "Name", requiredField: true },
          { fieldLabel: "Message", fieldType: "textarea" },
        ),
        post("Tell the team", `${url}/chat`, '={"text": "{{ $json.Name }}: {{ $json.Message }}"}'),
      ]),
      trigger: { kind: "form", title: "Contact us", text: "We answer within a day.", access: "public" },
      sent: { Name: "Mia", Message: "Hello" },
      received: [["POST /chat", /Mia: Hello/]],
    },
    {
      name: "Order form",
      document: inRow("Order form", [
        form(
          "Order",
          {
            fieldLabel: "Item",
            fieldType: "dropdown",
            fieldOptions: { values: [{ option: "tea" }, { option: "bread" }] },
          },
          { fieldLabel: "Amount", fieldType: "number" },
        ),
        post("Place order", `${url}/orders`, '={"item": "{{ $json.Item }}", "amount": {{ $json.Amount }}}'),
        post("Confirm", `${url}/chat`, `={"text": "{{ $('On form submission').item.json.Item }} ordered"}`),
      ]),
      trigger: { kind: "form", title: "Order", access: "public" },
      sent: { Item: "tea", Amount: "3" },
      received: [
        ["POST /orders", /"item":"tea".*3/],
        ["POST /chat", /tea ordered/],
      ],
    },
  ];
}
