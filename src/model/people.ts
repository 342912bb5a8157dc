import { Type, type Static } from "typebox";
import { Time, TimeOrNull, TextOrNull, freeObject, viewOf } from "./common.ts";
import { ScopeName } from "./keys.ts";
import { PERSON_STATES, ROLES, SIGN_IN_METHODS, TOKEN_KINDS } from "./person-states.ts";

/** A role of people. */
export const RoleName = Type.Enum([...ROLES], { title: "Role", description: "What a person may do." });

const PersonStateName = Type.Enum([...PERSON_STATES], {
  title: "PersonState",
  description: "invited: has no way to sign in yet. disabled: may not sign in, and no session counts.",
});

/** A role with what it may do. */
export const RoleView = viewOf("RoleScopes", "A role with the scopes that it holds.", {
  name: RoleName,
  about: Type.String({ description: "What the role is for." }),
  scopes: Type.Array(ScopeName),
});

const changes = {
  revision: Type.Integer(),
  createdBy: Type.String(),
  createdAt: Time,
  updatedBy: Type.String(),
  updatedAt: Time,
};

/** A person as admins and the person see it: never the password. */
export const PersonView = viewOf("Person", "A person with an account.", {
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: RoleName,
  state: PersonStateName,
  hasPassword: Type.Boolean(),
  ...changes,
  lastSignInAt: TimeOrNull,
});
export type PersonView = Static<typeof PersonView>;

/** What everybody who works here may know of a person. */
export const PersonNameView = viewOf("PersonName", "A person as all signed-in people see them.", {
  id: Type.String(),
  name: Type.String(),
  role: RoleName,
  state: PersonStateName,
});

/** A one-time link. */
export const OneTimeLinkView = viewOf("OneTimeLink", "A link that works once; it is shown this once.", {
  url: Type.String(),
  expiresAt: Time,
});

/** What a change of a person led to. */
export const PersonChangeView = viewOf("PersonChange", "A person after a change.", {
  person: PersonView,
  ended: Type.Optional(
    Type.Object(
      {
        sessions: Type.Integer(),
        tokens: Type.Integer(),
        clients: Type.Integer(),
        invitations: Type.Integer(),
      },
      { description: "How much ended when the person was disabled." },
    ),
  ),
  goesOn: Type.Optional(
    Type.Array(
      Type.Object({
        kind: Type.Enum([
          "key",
          "webhook",
          "notification_target",
          "credential",
          "trigger",
          "stopped_trigger",
        ]),
        id: Type.String(),
        name: Type.String(),
      }),
      { description: "What the disabled person made and what still works; triggers also when they stopped." },
    ),
  ),
});
export type PersonChangeView = Static<typeof PersonChangeView>;

/** A group with its members. */
export const GroupView = viewOf("Group", "A group of people who decide approvals together.", {
  id: Type.String(),
  name: Type.String(),
  ...changes,
  members: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), state: PersonStateName })),
});
export type GroupView = Static<typeof GroupView>;

/** A token of a person: never its secret and never its digest. */
export const PersonTokenView = viewOf("PersonToken", "A token that a person made, without its secret.", {
  id: Type.String(),
  kind: Type.Enum([...TOKEN_KINDS], {
    description: "personal: acts as the person. service: acts as itself.",
  }),
  personId: Type.String(),
  name: Type.String(),
  scopes: Type.Array(ScopeName),
  effectiveScopes: Type.Array(ScopeName, { description: "Those that the person's role still holds." }),
  createdAt: Time,
  expiresAt: Time,
  revokedAt: TimeOrNull,
  revokedBy: TextOrNull,
  lastUsedAt: TimeOrNull,
});
export type PersonTokenView = Static<typeof PersonTokenView>;

/** A signed-in browser. */
export const SessionView = viewOf("Session", "A signed-in browser.", {
  id: Type.String(),
  current: Type.Boolean({ description: "Whether the request came with this session." }),
  method: Type.Enum([...SIGN_IN_METHODS]),
  client: Type.String({ description: "The browser as it names itself." }),
  address: Type.String(),
  createdAt: Time,
  lastUsedAt: Time,
  expiresAt: Time,
});
export type SessionView = Static<typeof SessionView>;

/** A passkey of a person. */
export const PasskeyView = viewOf("Passkey", "A passkey of a person.", {
  id: Type.String(),
  name: Type.String(),
  synced: Type.Boolean({ description: "Kept by a provider on several devices." }),
  createdAt: Time,
  lastUsedAt: TimeOrNull,
});
export type PasskeyView = Static<typeof PasskeyView>;

/** What a browser's passkey dialog takes. */
export const PasskeyOptions = freeObject(
  "WebAuthn gives the options of a passkey dialog a format of its own, which browsers read.",
  "What navigator.credentials takes as publicKey, as JSON.",
);

/** What a browser's passkey dialog gave. */
export const PasskeyAnswer = freeObject(
  "WebAuthn gives the answer of a passkey dialog a format of its own, which the passkey's library reads.",
  "What the browser's credential gives as JSON (toJSON).",
);

const name = { minLength: 1, maxLength: 100, pattern: "\\S" };

/** The name of a person. */
export const PersonNameInput = Type.String({ ...name, description: "A name of 1 to 100 characters." });

/** The name of what a person makes. */
export function nameInput(description: string): Type.TString {
  return Type.String({ ...name, description });
}

/** The e-mail address of a person. */
export const EmailInput = Type.String({
  maxLength: 300,
  pattern: "@",
  examples: ["ada@example.com"],
  description: "An e-mail address such as ada@example.com.",
});

/** A secret that a person typed, whatever it is. */
export function typedSecret(description: string): Type.TString {
  return Type.String({ minLength: 1, maxLength: 1_024, writeOnly: true, description });
}
