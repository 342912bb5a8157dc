/** Examples for the page. */
export interface Sample {
  readonly title: string;
  readonly text: string;
}

const order = {
  title: "Order",
  description: "A little of everything: variants, a list, a map, dates, a condition.",
  type: "object",
  required: ["customer", "payment"],
  properties: {
    customer: {
      type: "object",
      title: "Customer",
      required: ["name", "email"],
      properties: {
        name: { type: "string", minLength: 2 },
        email: { type: "string", format: "email" },
        newsletter: { type: "boolean", default: false },
      },
    },
    items: {
      type: "array",
      title: "Items",
      minItems: 1,
      items: {
        type: "object",
        title: "Item",
        required: ["sku"],
        properties: {
          sku: { type: "string", examples: ["A-100"] },
          quantity: { type: "integer", minimum: 1, default: 1 },
        },
      },
      default: [{ sku: "A-100", quantity: 2 }],
    },
    payment: {
      title: "Payment",
      oneOf: [
        {
          title: "Card",
          type: "object",
          required: ["kind", "number"],
          properties: {
            kind: { const: "card" },
            number: { type: "string", pattern: "^[0-9 ]{12,23}$" },
            cvc: { type: "string", format: "password" },
          },
        },
        {
          title: "Bank transfer",
          type: "object",
          required: ["kind", "iban"],
          properties: { kind: { const: "bank" }, iban: { type: "string" } },
        },
      ],
    },
    deliverAt: { type: "string", format: "date-time", title: "Deliver at" },
    giftWrap: { type: "boolean", title: "Gift wrap" },
    labels: { type: "object", title: "Labels", additionalProperties: { type: "string" } },
  },
  dependentSchemas: {
    giftWrap: { properties: { giftMessage: { type: "string", title: "Gift message", maxLength: 200 } } },
  },
};

const api = {
  openapi: "3.1.0",
  info: { title: "Pet shop", version: "1" },
  servers: [{ url: "https://pets.example" }],
  paths: {
    "/pets": {
      get: {
        operationId: "listPets",
        summary: "List pets",
        parameters: [
          { name: "limit", in: "query", schema: { type: "integer", maximum: 100 } },
          { name: "status", in: "query", schema: { type: "array", items: { enum: ["new", "sold"] } } },
        ],
        responses: {},
      },
      post: {
        operationId: "addPet",
        summary: "Add a pet",
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: {
                type: "object",
                required: ["name"],
                properties: { name: { type: "string" }, born: { type: "string", format: "date" } },
              },
            },
          },
        },
        responses: {},
      },
    },
    "/pets/{id}": {
      get: {
        operationId: "getPet",
        summary: "One pet",
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string", format: "uuid" } }],
        responses: {},
      },
    },
  },
};

const tools = {
  tools: [
    {
      name: "search_issues",
      title: "Search issues",
      description: "Finds issues by text and state.",
      inputSchema: {
        type: "object",
        required: ["query"],
        properties: {
          query: { type: "string" },
          state: { enum: ["open", "closed", "all"], default: "open" },
          labels: { type: "array", items: { type: "string" } },
        },
      },
    },
    {
      name: "create_issue",
      title: "Create issue",
      description: "Opens an issue.",
      inputSchema: {
        type: "object",
        required: ["title"],
        properties: {
          title: { type: "string" },
          body: { type: "string" },
          assignees: { type: "array", items: { type: "string" }, uniqueItems: true },
        },
      },
    },
  ],
};

/** Samples that show what the page can do. */
export const SAMPLES: readonly Sample[] = [
  { title: "a schema", text: JSON.stringify(order, null, 2) },
  { title: "an API", text: JSON.stringify(api, null, 2) },
  { title: "a tool list", text: JSON.stringify(tools, null, 2) },
];
