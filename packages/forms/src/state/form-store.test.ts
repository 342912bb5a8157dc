import assert from "node:assert/strict";
import { describe, mock, test } from "node:test";
import { compileForm, ExactNumber } from "../index.ts";
import { childPointer, FormStore, parentPointer } from "./form-store.ts";
import { copyable, initialOf, parseText, readNumber, rootOf, variantOf, wireText } from "./logic.ts";
import { withoutSecrets } from "./secrets.ts";

const SCHEMA = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string" },
    tags: { type: "array", items: { type: "string" } },
    contact: {
      oneOf: [
        {
          title: "Mail",
          type: "object",
          required: ["kind", "address"],
          properties: { kind: { const: "mail" }, address: { type: "string" } },
        },
        {
          title: "Phone",
          type: "object",
          required: ["kind", "number"],
          properties: {
            kind: { const: "phone" },
            number: { type: "string" },
            pin: { type: "string", format: "password" },
          },
        },
      ],
    },
    logins: {
      type: "array",
      items: {
        type: "object",
        properties: { user: { type: "string" }, secret: { type: "string", writeOnly: true } },
      },
    },
    token: { type: "string", format: "password" },
    headers: { type: "object", additionalProperties: { type: "string", format: "password" } },
  },
};

const form = (schema: unknown = SCHEMA) => {
  const made = compileForm(schema, { formId: "test" });
  assert.ok(made.form);
  return made.form;
};

describe("values", () => {
  test("are written at a pointer without touching what was there before", () => {
    const store = new FormStore(form(), { name: "Ada", contact: { kind: "mail", address: "a@b.c" } });
    const before = store.value;
    store.set("/contact/address", "x@y.z");
    assert.deepEqual(store.value, { name: "Ada", contact: { kind: "mail", address: "x@y.z" } });
    assert.deepEqual(before, { name: "Ada", contact: { kind: "mail", address: "a@b.c" } });
    store.set("/contact", undefined);
    assert.deepEqual(store.value, { name: "Ada" });
    assert.equal(store.get("/contact/address"), undefined);
  });

  test("under awkward names are own members, and nothing of the prototype is read or written", () => {
    const store = new FormStore(form({ type: "object", additionalProperties: true }), {});
    for (const name of ["__proto__", "constructor", "a/b", "til~de", "", " "])
      store.set(childPointer("", name), name.length);
    assert.deepEqual(Object.keys(store.value ?? {}), ["__proto__", "constructor", "a/b", "til~de", "", " "]);
    assert.equal(store.get("/toString"), undefined);
    assert.equal(store.get("/a~1b"), 3);
    assert.equal(Object.getPrototypeOf(store.value), Object.prototype);
    assert.equal(parentPointer("/a~1b/c"), "/a~1b");
  });

  test("that are big stay exact from text to the wire", () => {
    const typed = readNumber("12345678901234567890", true);
    assert.ok(typed instanceof ExactNumber);
    const store = new FormStore(form({ type: "object", additionalProperties: true }), {});
    store.set("/n", typed);
    assert.equal(wireText(store.value), '{"n":12345678901234567890}');
    assert.equal(readNumber("1.5", true), null);
    assert.equal(readNumber("0x10", false), null);
    const parsed = parseText('{"a":1e400}');
    assert.ok(parsed.problem === undefined);
    assert.equal(wireText(parsed.value), '{"a":1e400}');
  });

  test("wake the field, those that hold it and those below, and no other", () => {
    const store = new FormStore(form(), { name: "Ada", contact: { kind: "mail", address: "a" } });
    const woken: string[] = [];
    for (const pointer of ["", "/name", "/contact", "/contact/address", "/tags"])
      store.subscribe(pointer, () => woken.push(pointer));
    store.set("/contact/address", "b");
    assert.deepEqual(woken.splice(0), ["", "/contact", "/contact/address"]);
    store.set("/contact", { kind: "phone" });
    assert.deepEqual(woken.splice(0), ["", "/contact", "/contact/address"]);
    const stop = store.subscribe("/name", () => woken.push("again"));
    stop();
    store.set("/name", "Grace");
    assert.deepEqual(woken, ["", "/name"]);
  });
});

describe("undo", () => {
  test("takes back one field's typing at once, another field's apart, and redo brings it back", () => {
    mock.timers.enable({ apis: ["Date"], now: 1_000 });
    try {
      const store = new FormStore(form(), { name: "" });
      for (const text of ["A", "Ad", "Ada"]) {
        mock.timers.tick(100);
        store.set("/name", text);
      }
      mock.timers.tick(2_000);
      store.set("/name", "Ada L");
      store.set("/token", "t");
      store.undo();
      assert.deepEqual(store.value, { name: "Ada L" });
      store.undo();
      assert.deepEqual(store.value, { name: "Ada" });
      store.undo();
      assert.deepEqual(store.value, { name: "" });
      assert.equal(store.canUndo, false);
      store.redo();
      store.redo();
      store.redo();
      assert.deepEqual(store.value, { name: "Ada L", token: "t" });
      assert.equal(store.canRedo, false);
      store.undo();
      store.set("/name", "New");
      assert.equal(store.canRedo, false, "a new edit ends the other future");
    } finally {
      mock.timers.reset();
    }
  });

  test("brings text back that was no value yet, and a value drops it", () => {
    const store = new FormStore(form(), { name: "Ada" });
    store.setDraft("/contact", { text: '{"kind":', problem: "not JSON" });
    assert.equal(store.draft("/contact")?.text, '{"kind":');
    assert.deepEqual(store.value, { name: "Ada" });
    store.set("/name", "Ada L");
    store.set("/contact", { kind: "mail" });
    assert.equal(store.draft("/contact"), undefined);
    store.replace({ name: "Other" });
    store.undo();
    assert.deepEqual(store.value, { name: "Ada L", contact: { kind: "mail" } });
    store.undo();
    assert.equal(store.draft("/contact")?.text, '{"kind":');
  });

  test("remembers a bounded past", () => {
    const store = new FormStore(form(), { name: "" });
    for (let n = 0; n < 500; n++) store.set(n % 2 === 0 ? "/name" : "/token", String(n));
    let steps = 0;
    for (; store.canUndo; steps++) store.undo();
    assert.equal(steps, 200);
  });
});

describe("arrays", () => {
  test("keep an item's key when it moves, and say what happened", () => {
    const store = new FormStore(form(), { name: "", tags: ["a", "b", "c"] });
    const announced: string[] = [];
    store.onAnnounce = (text) => announced.push(text);
    const [first, second, third] = store.keys("/tags", 3);
    store.move("/tags", 2, 0, "Tag");
    assert.deepEqual(store.get("/tags"), ["c", "a", "b"]);
    assert.deepEqual(store.keys("/tags", 3), [third, first, second]);
    store.insert("/tags", 1, "new", "Tag");
    const keys = store.keys("/tags", 4);
    assert.deepEqual([keys[0], keys[2], keys[3]], [third, first, second]);
    assert.equal(new Set(keys).size, 4);
    store.remove("/tags", 0, "Tag");
    assert.deepEqual(store.get("/tags"), ["new", "a", "b"]);
    assert.deepEqual(store.keys("/tags", 3).slice(1), [first, second]);
    assert.deepEqual(announced, [
      "Tag moved to position 1 of 3",
      "Tag added at position 2 of 4",
      "Tag 1 removed, 3 left",
    ]);
    store.move("/tags", 0, 9, "Tag");
    assert.deepEqual(store.get("/tags"), ["new", "a", "b"]);
  });

  test("of arrays forget what they knew of items that are now elsewhere", () => {
    const store = new FormStore(form({ type: "array", items: { type: "array", items: {} } }), [[1], [2, 3]]);
    store.keys("/0", 1);
    store.keys("/1", 2);
    store.choose("/1/0", "number");
    store.remove("", 0, "Row");
    assert.deepEqual(store.value, [[2, 3]]);
    assert.equal(store.choice("/1/0"), undefined);
    assert.equal(new Set(store.keys("/0", 2)).size, 2);
  });

  test("an undone removal brings the item back", () => {
    const store = new FormStore(form(), { name: "", tags: ["a", "b"] });
    store.remove("/tags", 0, "Tag");
    store.undo();
    assert.deepEqual(store.get("/tags"), ["a", "b"]);
    assert.equal(store.keys("/tags", 2).length, 2);
  });
});

describe("variants", () => {
  const document = form();
  const contact = rootOf(document).children?.find((field) => field.name === "contact");
  assert.ok(contact);

  test("follow from the value, and begin with what their constants say", () => {
    assert.equal(variantOf(document, contact, { kind: "phone", number: "1" })?.label, "Phone");
    assert.equal(variantOf(document, contact, { kind: "mail" })?.label, "Mail");
    assert.deepEqual(initialOf(document, contact), { kind: "mail" });
  });

  test("a person's choice is kept beside the value, and replacing everything forgets it", () => {
    const store = new FormStore(document, { name: "" });
    let woken = 0;
    store.subscribe("/contact", () => (woken += 1));
    store.choose("/contact", "1");
    assert.deepEqual([store.choice("/contact"), woken], ["1", 1]);
    store.replace({ name: "x" });
    assert.equal(store.choice("/contact"), undefined);
  });
});

describe("maps and problems", () => {
  test("a renamed member stays in its place, and never lands on another", () => {
    const store = new FormStore(form({ type: "object", additionalProperties: true }), { a: 1, b: 2, c: 3 });
    store.rename("", "b", "z");
    assert.deepEqual(Object.entries(store.value ?? {}), [
      ["a", 1],
      ["z", 2],
      ["c", 3],
    ]);
    store.rename("", "a", "c");
    assert.deepEqual(Object.keys(store.value ?? {}), ["a", "z", "c"]);
  });

  test("problems wake only the fields whose messages changed", () => {
    const store = new FormStore(form(), { name: "" });
    const woken: string[] = [];
    for (const pointer of ["/name", "/tags"]) store.subscribe(pointer, () => woken.push(pointer));
    store.setProblems([{ pointer: "/name", message: "too short" }]);
    store.setProblems([
      { pointer: "/name", message: "too short" },
      { pointer: "/tags", message: "missing" },
    ]);
    assert.deepEqual(woken, ["/name", "/tags"]);
    store.setProblems([]);
    assert.deepEqual([store.problems.length, store.problemsAt("/name").length], [0, 0]);
  });
});

describe("secrets", () => {
  const document = form();
  const value = {
    name: "Ada",
    token: "CANARY-1",
    contact: { kind: "phone", number: "112", pin: "CANARY-2" },
    logins: [{ user: "ada", secret: "CANARY-3" }],
    headers: { Authorization: "CANARY-4" },
  };

  test("stay out of what drafts, links, histories and copies are made from, at any depth", () => {
    const clean = withoutSecrets(document, value);
    assert.doesNotMatch(wireText(clean), /CANARY/);
    assert.deepEqual(clean, {
      name: "Ada",
      contact: { kind: "phone", number: "112" },
      logins: [{ user: "ada" }],
      headers: {},
    });
    assert.equal(value.token, "CANARY-1", "the value itself is left alone");
  });

  test("stay out when the value fits no variant yet", () => {
    const unsure = { name: "", contact: { number: "1", pin: "CANARY" } };
    assert.deepEqual(withoutSecrets(document, unsure), { name: "", contact: { number: "1" } });
  });

  test("stay out of copies of a part, and a part that is a secret copies as nothing", () => {
    assert.equal(copyable(document, value.token, "/token"), "");
    assert.doesNotMatch(copyable(document, value.logins, "/logins"), /CANARY/);
    assert.doesNotMatch(copyable(document, value.headers, "/headers"), /CANARY/);
    assert.match(copyable(document, value.contact, "/contact"), /112/);
  });

  test("whatever the value looks like, a secret's text never comes through", async () => {
    const { default: fc } = await import("fast-check");
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), fc.array(fc.string(), { maxLength: 3 }), (other, names) => {
        const given = {
          name: JSON.stringify(other),
          token: "CANARY",
          logins: names.map((user) => ({ user, secret: "CANARY" })),
          headers: Object.fromEntries(names.map((name) => [name, "CANARY"])),
        };
        assert.doesNotMatch(wireText(withoutSecrets(document, given)), /CANARY/);
      }),
      { numRuns: 100 },
    );
  });
});
