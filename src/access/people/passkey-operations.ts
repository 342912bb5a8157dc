import { Type } from "typebox";
import { inputOf } from "../../model/common.ts";
import { nameInput, PasskeyAnswer, PasskeyOptions, PasskeyView, typedSecret } from "../../model/people.ts";
import { operationsWith } from "../../ports/operations.ts";
import { checkPage, load, originOf, self, SignedIn, signedIn } from "./account-operations.ts";
import { nameOf } from "./names.ts";
import type { AccountParts } from "./open.ts";
import { passkeyView } from "./passkeys.ts";

const { operation, declared } = operationsWith<AccountParts>();
const PERSON = { access: "person", effect: "write", idempotent: false } as const;
const PUBLIC = { access: "public", effect: "write", idempotent: false } as const;
const id = Type.String({ description: "The id of the passkey, as list_passkeys shows it." });
const name = nameInput("What the person calls the passkey.");
const options = Type.Object({ publicKey: PasskeyOptions });
const output = Type.Object({ passkey: PasskeyView });

operation({
  ...PUBLIC,
  name: "get_passkey_sign_in_options",
  title: "Begin a sign-in with a passkey",
  description: "What the browser needs to sign in with a passkey; sign_in_with_passkey takes its answer.",
  http: "POST /api/svc/passkeys/sign-in-options",
  input: inputOf({}),
  output: options,
  run: async (_input, { request }, { accounts: { signIn } }) => ({
    publicKey: await signIn.passkeyOptions(request.client),
  }),
});

operation({
  ...PUBLIC,
  name: "sign_in_with_passkey",
  title: "Sign in with a passkey",
  description: "Signs a person in with a passkey. The session is a cookie.",
  http: "POST /api/svc/passkeys/sign-in",
  status: 201,
  input: inputOf({ passkey: PasskeyAnswer }),
  output: SignedIn,
  async run({ passkey }, { request, services }, { accounts: { signIn, devices } }) {
    checkPage(request, services.settings.baseUrl);
    return signedIn(await signIn.withPasskey(passkey, originOf(request)), devices);
  },
});

operation({
  ...PERSON,
  name: "list_passkeys",
  title: "List my passkeys",
  description: "The signed-in person's passkeys, oldest first.",
  http: "GET /api/svc/passkeys",
  effect: "none",
  idempotent: true,
  input: inputOf({}),
  output: Type.Object({ passkeys: Type.Array(PasskeyView) }),
  run: async (_input, { caller }, { accounts: { passkeys } }) => ({
    passkeys: (await passkeys.list(self(caller).id)).map(passkeyView),
  }),
});

operation({
  ...PERSON,
  name: "get_passkey_options",
  title: "Begin a passkey",
  description:
    "What the browser needs to make a passkey. The password is asked for unless the person signed in just now.",
  http: "POST /api/svc/passkeys/options",
  input: inputOf({ password: Type.Optional(typedSecret("The person's password.")) }),
  output: options,
  async run({ password = null }, call, { accounts: { signIn, passkeys } }) {
    const person = await load(call);
    await signIn.confirm(person, self(call.caller).sessionId, password, originOf(call.request));
    return { publicKey: await passkeys.creationOptions("register", person) };
  },
});

operation({
  ...PERSON,
  name: "add_passkey",
  title: "Add a passkey",
  description: "Keeps a passkey that was made with the options of get_passkey_options.",
  http: "POST /api/svc/passkeys",
  status: 201,
  input: inputOf({ name, passkey: PasskeyAnswer }),
  output,
  run: async (input, { caller }, { accounts: { signIn } }) => ({
    passkey: passkeyView(await signIn.addPasskey(self(caller).id, nameOf(input.name), input.passkey)),
  }),
});

operation({
  ...PERSON,
  name: "rename_passkey",
  title: "Rename a passkey",
  description: "Gives a passkey of the signed-in person another name.",
  http: "PATCH /api/svc/passkeys/{id}",
  idempotent: true,
  input: inputOf({ id, name }),
  output,
  run: async (input, { caller }, { accounts: { passkeys } }) => ({
    passkey: passkeyView(await passkeys.rename(self(caller).id, input.id, nameOf(input.name))),
  }),
});

operation({
  ...PERSON,
  name: "remove_passkey",
  title: "Remove a passkey",
  description: "Removes a passkey, unless it is the only way to sign in.",
  http: "DELETE /api/svc/passkeys/{id}",
  effect: "destructive",
  idempotent: true,
  input: inputOf({ id }),
  output: Type.Object({ removed: Type.Literal(true) }),
  async run(input, { caller }, { accounts: { passkeys } }) {
    await passkeys.remove(self(caller).id, input.id);
    return { removed: true as const };
  },
});

/** How people make, use and remove passkeys. */
export const passkeyOperations = declared;
