import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseMarkdown, plainText } from "./markdown.ts";
import { labelOf, singular } from "./words.ts";

describe("labels", () => {
  const LABELS: Readonly<Record<string, string>> = {
    workflowTitle: "Workflow title",
    max_items: "Max items",
    MAX_ITEMS: "Max items",
    targetUrl: "Target URL",
    callbackURLs: "Callback URLs",
    htmlUrl: "HTML URL",
    API_KEY: "API key",
    userIds: "User IDs",
    customerID: "Customer ID",
    IPv4Address: "IPv4 address",
    ipv6: "IPv6",
    OAuthToken: "OAuth token",
    githubToken: "GitHub token",
    iOSVersion: "iOS version",
    openAPIV3Schema: "OpenAPI v3 schema",
    AWSAccessKeyId: "AWS access key ID",
    status: "Status",
    class: "Class",
    ABC: "ABC",
    URL: "URL",
  };
  for (const [name, label] of Object.entries(LABELS))
    test(`${name} is called ${label}`, () => assert.equal(labelOf(name), label));
});

test("one of many is called by its kind", () => {
  assert.equal(singular("A list of strings"), "String");
  assert.equal(singular("Categories"), "Category");
  assert.equal(singular("status"), "status");
});

describe("Markdown in descriptions", () => {
  test("is read into blocks and runs", () => {
    const blocks = parseMarkdown(
      "Hello **big `code`** and *em* [docs](https://example.com/a).\n\n# Head\n- one\n- two\n  more\n\n```js\nlet a;\n```\n> said",
    );
    assert.deepEqual(
      blocks.map(({ kind }) => kind),
      ["paragraph", "heading", "list", "code", "quote"],
    );
    assert.deepEqual(blocks[0], {
      kind: "paragraph",
      children: [
        { kind: "text", text: "Hello " },
        {
          kind: "strong",
          children: [
            { kind: "text", text: "big " },
            { kind: "code", text: "code" },
          ],
        },
        { kind: "text", text: " and " },
        { kind: "em", children: [{ kind: "text", text: "em" }] },
        { kind: "text", text: " " },
        { kind: "link", href: "https://example.com/a", children: [{ kind: "text", text: "docs" }] },
        { kind: "text", text: "." },
      ],
    });
  });

  test("leaves alone what is no Markdown: globs, products, names with underscores, tags", () => {
    for (const text of [
      "src/**/*.ts and **/*.js",
      "2 * 3 * 4",
      "a_b_c and d_e",
      "<img src=x onerror=alert(1)>",
    ])
      assert.deepEqual(parseMarkdown(text), [{ kind: "paragraph", children: [{ kind: "text", text }] }]);
  });

  test("an address without any mark is a link, without what ends the sentence", () => {
    const link = (href: string) => ({ kind: "link", href, children: [{ kind: "text", text: href }] });
    const [block] = parseMarkdown("See (https://a.example/b_c#d), or xhttps://no.example and https://.");
    assert.deepEqual(block, {
      kind: "paragraph",
      children: [
        { kind: "text", text: "See (" },
        link("https://a.example/b_c#d"),
        { kind: "text", text: "), or xhttps://no.example and https://." },
      ],
    });
    const [inLink] = parseMarkdown("[https://a.example](https://b.example)");
    assert.deepEqual(inLink, {
      kind: "paragraph",
      children: [
        { kind: "link", href: "https://b.example", children: [{ kind: "text", text: "https://a.example" }] },
      ],
    });
  });

  test("only web addresses become links", () => {
    for (const text of [
      "[a](javascript:alert(1))",
      "[a](data:text/html,x)",
      "[a](JaVaScRiPt:x)",
      "<javascript:x>",
    ])
      assert.ok(!JSON.stringify(parseMarkdown(text)).includes('"link"'), text);
  });

  test("is one line of text where there is no room", () => {
    assert.equal(plainText("The **URL** of\n\n- [this](https://x.example)\n- that"), "The URL of this, that");
  });
});
