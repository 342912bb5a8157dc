import { ok } from "../kernel/envelope.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { HttpRoute } from "../ports/http.ts";
import { checkPage, originOf, self, signedIn, type AccountRouteParts } from "./account-routes.ts";
import { BodyReader } from "./input.ts";
import { noPerson } from "./people.ts";
import { passkeyView } from "./passkeys.ts";

const PASSKEYS = "/api/svc/passkeys";
const text: JsonObject = { type: "string" };
const answer: JsonObject = { type: "object", description: "What the browser's credential gives as JSON." };

/** The paths with which people make, use and remove passkeys. */
export function passkeyRoutes({
  store,
  signIn,
  passkeys,
  devices,
  baseUrl,
}: AccountRouteParts): readonly HttpRoute[] {
  return [
    {
      method: "POST",
      path: `${PASSKEYS}/sign-in-options`,
      summary:
        "What the browser needs to sign in with a passkey; answer with POST /api/svc/passkeys/sign-in.",
      access: "public",
      bodyOptional: true,
      async handle({ client }) {
        return { status: 200, body: ok({ publicKey: await signIn.passkeyOptions(client) }) };
      },
    },
    {
      method: "POST",
      path: `${PASSKEYS}/sign-in`,
      summary: "Signs a person in with a passkey {passkey}; the session is a cookie.",
      access: "public",
      status: 201,
      body: { type: "object", required: ["passkey"], properties: { passkey: answer } },
      async handle(request) {
        const body = new BodyReader(request.body, ["passkey"]);
        const passkey = body.passkey();
        body.done();
        checkPage(request, baseUrl);
        return signedIn(await signIn.withPasskey(passkey, originOf(request)), devices);
      },
    },
    {
      method: "GET",
      path: PASSKEYS,
      summary: "The signed-in person's passkeys, oldest first.",
      access: "person",
      async handle(request) {
        const list = await passkeys.list(self(request).id);
        return { status: 200, body: ok({ passkeys: list.map(passkeyView) }) };
      },
    },
    {
      method: "POST",
      path: `${PASSKEYS}/options`,
      summary:
        "What the browser needs to make a passkey {password?}; the password is asked for unless the person signed in just now.",
      access: "person",
      bodyOptional: true,
      body: { type: "object", properties: { password: text } },
      async handle(request) {
        const body = new BodyReader(request.body, ["password"]);
        const password = body.raw("password") === undefined ? null : body.typed("password");
        body.done();
        const { id, person } = self(request);
        const record = await store.read.people.get(id);
        if (record === null) throw noPerson();
        await signIn.confirm(record, person.sessionId, password, originOf(request));
        return { status: 200, body: ok({ publicKey: await passkeys.creationOptions("register", record) }) };
      },
    },
    {
      method: "POST",
      path: PASSKEYS,
      summary: "Keeps a passkey {name, passkey} that was made with the options before.",
      access: "person",
      status: 201,
      body: { type: "object", required: ["name", "passkey"], properties: { name: text, passkey: answer } },
      async handle(request) {
        const body = new BodyReader(request.body, ["name", "passkey"]);
        const name = body.personName();
        body.done();
        const record = await signIn.addPasskey(self(request).id, name, body.raw("passkey"));
        return { status: 201, body: ok({ passkey: passkeyView(record) }) };
      },
    },
    {
      method: "PATCH",
      path: `${PASSKEYS}/{id}`,
      summary: "Renames a passkey {name}.",
      access: "person",
      body: { type: "object", required: ["name"], properties: { name: text } },
      async handle(request) {
        const body = new BodyReader(request.body, ["name"]);
        const name = body.personName();
        body.done();
        const record = await passkeys.rename(self(request).id, request.params["id"] ?? "", name);
        return { status: 200, body: ok({ passkey: passkeyView(record) }) };
      },
    },
    {
      method: "DELETE",
      path: `${PASSKEYS}/{id}`,
      summary: "Removes a passkey, unless it is the only way to sign in.",
      access: "person",
      async handle(request) {
        await passkeys.remove(self(request).id, request.params["id"] ?? "");
        return { status: 200, body: ok({ removed: true }) };
      },
    },
  ];
}
