import { Type } from "typebox";
import { problemAt } from "../../kernel/errors.ts";
import { inputOf, NEXT_CURSOR, PAGE_INPUT } from "../../model/common.ts";
import {
  EmailInput,
  OneTimeLinkView,
  PersonChangeView,
  PersonNameInput,
  PersonNameView,
  PersonView,
  RoleName,
  RoleView,
} from "../../model/people.ts";
import { INVITATION_KINDS } from "../../model/person-states.ts";
import { SCOPES } from "../../ports/caller.ts";
import { operationsWith, pageIn } from "../../ports/operations.ts";
import { ROLES, type PersonRecord } from "../../ports/people.ts";
import { emailOf, emailProblems, nameOf } from "./names.ts";
import type { AccountParts } from "./open.ts";
import { changeView, personView } from "./people.ts";
import { ROLE_TABLE, roleAllows } from "./roles.ts";

const { operation, declared } = operationsWith<AccountParts>();
const id = Type.String({ description: "The id of the person, as list_people shows it." });

operation({
  name: "list_roles",
  title: "List the roles",
  description: "The roles of people with the scopes that each holds.",
  http: "GET /api/svc/roles",
  access: "public",
  input: inputOf({}),
  output: Type.Object({ roles: Type.Array(RoleView) }),
  run: () => ({
    roles: ROLES.map((name) => ({
      name,
      about: ROLE_TABLE[name].about,
      scopes: SCOPES.filter((scope) => roleAllows(name, scope)),
    })),
  }),
});

const SEARCH_INPUT = {
  ...PAGE_INPUT,
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: "What must occur; small and capital letters are equal.",
    }),
  ),
};

operation({
  name: "list_people",
  title: "List people",
  description: "People with an account, newest first; with a text those whose name or address has it.",
  http: "GET /api/svc/people",
  access: "admin",
  input: inputOf(SEARCH_INPUT),
  output: Type.Object({ people: Type.Array(PersonView), nextCursor: NEXT_CURSOR }),
  async run(input, _call, { accounts: { people } }) {
    const filter = { text: input.text, inAddress: true };
    const { items, nextCursor } = await people.list(pageIn(input), filter);
    return { people: items.map(personView), nextCursor };
  },
});

operation({
  name: "list_people_names",
  title: "List the names of people",
  description:
    "The names and roles of people, without addresses, newest first; with a text those whose name has it. Those who are disabled are listed, because records name them; an approval cannot.",
  http: "GET /api/svc/people/names",
  access: "read-private",
  input: inputOf(SEARCH_INPUT),
  output: Type.Object({ people: Type.Array(PersonNameView), nextCursor: NEXT_CURSOR }),
  async run(input, _call, { accounts: { people } }) {
    const { items, nextCursor } = await people.list(pageIn(input), { text: input.text });
    return { people: items.map(nameView), nextCursor };
  },
});

operation({
  name: "invite_person",
  title: "Invite a person",
  description: "Invites a person with a role. The answer shows the link this once.",
  http: "POST /api/svc/people",
  access: "admin",
  effect: "write",
  idempotent: false,
  status: 201,
  input: inputOf({ email: EmailInput, name: Type.Optional(PersonNameInput), role: RoleName }),
  output: Type.Object({ person: PersonView, invitation: OneTimeLinkView }),
  examples: [{ email: "ada@example.com", name: "Ada", role: "editor" }],
  rules: ({ email }) => emailProblems(email),
  async run({ email, name = email, role }, { caller }, { accounts: { people } }) {
    const invited = { email: emailOf(email), name: nameOf(name), role };
    const { person, link } = await people.invite(invited, caller);
    return { person: personView(person), invitation: link };
  },
});

operation({
  name: "get_person",
  title: "Get a person",
  description: "One person with an account.",
  http: "GET /api/svc/people/{id}",
  access: "admin",
  input: inputOf({ id }),
  output: Type.Object({ person: PersonView }),
  run: async (input, _call, { accounts: { people } }) => ({ person: personView(await people.get(input.id)) }),
});

operation({
  name: "change_person",
  title: "Change a person",
  description:
    "Changes a person's name or role, or disables and enables the person. The answer lists what ended and what goes on.",
  http: "PATCH /api/svc/people/{id}",
  access: "admin",
  effect: "write",
  idempotent: true,
  input: inputOf({
    id,
    name: Type.Optional(PersonNameInput),
    role: Type.Optional(RoleName),
    state: Type.Optional(
      Type.Enum(["active", "disabled"], { description: "Whether the person may sign in." }),
    ),
  }),
  output: PersonChangeView,
  examples: [{ id: "person_01", role: "approver" }],
  rules: ({ name, role, state }) =>
    (name ?? role ?? state) === undefined ? [problemAt("", "at least one of name, role and state")] : [],
  async run({ id: personId, name, ...rest }, { caller }, { accounts: { people } }) {
    const changes = { ...rest, ...(name !== undefined && { name: nameOf(name) }) };
    return changeView(await people.change(personId, changes, caller));
  },
});

operation({
  name: "create_person_link",
  title: "Create a one-time link for a person",
  description: "Makes a new one-time link: to join, or to set a new password. It is shown this once.",
  http: "POST /api/svc/people/{id}/link",
  access: "admin",
  effect: "write",
  idempotent: false,
  status: 201,
  input: inputOf({ id }),
  output: Type.Object({
    person: PersonView,
    invitation: OneTimeLinkView,
    kind: Type.Enum([...INVITATION_KINDS], { description: "What the link does." }),
  }),
  async run(input, { caller }, { accounts: { people } }) {
    const { person, link, kind } = await people.newLink(input.id, caller);
    return { person: personView(person), invitation: link, kind };
  },
});

operation({
  name: "sign_out_person",
  title: "End the sessions of a person",
  description: "Ends every session of a person.",
  http: "POST /api/svc/people/{id}/sign-out",
  access: "admin",
  effect: "destructive",
  idempotent: true,
  input: inputOf({ id }),
  output: Type.Object({ ended: Type.Integer({ description: "How many sessions ended." }) }),
  run: async (input, { caller }, { accounts: { people } }) => ({
    ended: await people.signOut(input.id, caller),
  }),
});

/** What admins do with people, and what others see of them. */
export const peopleOperations = declared;

function nameView({ id: personId, name, role, state }: PersonRecord) {
  return { id: personId, name, role, state };
}
