import { yesOption } from "../conventions.ts";
import type { ArgumentSpec, CommandSpec } from "../model.ts";

const personArgument: ArgumentSpec = {
  name: "person",
  summary: "The id or the e-mail address of the person; `latest` is the newest one.",
};
const invited = (address: string) => ({
  path: "people invite",
  args: [address],
  options: { role: "viewer", to: `${address}.link` },
});

/** Commands about the tokens that people made. */
export const tokenCommands: readonly CommandSpec[] = [
  {
    path: "tokens list",
    summary: "The personal tokens and service keys of a person, newest first.",
    about: "Tokens are made in the web app by the person who is signed in there.",
    access: "key",
    args: [personArgument],
    examples: [
      {
        id: "tokens-list",
        title: "What a person's programs may do",
        needs: ["service", "key"],
        steps: [invited("hal@example.com"), { args: ["hal@example.com"] }],
      },
    ],
  },
  {
    path: "tokens revoke",
    summary: "Revoke a token of a person, or all of them.",
    access: "key",
    args: [
      personArgument,
      { name: "token", summary: "The id of the token; all of them when left out.", optional: true },
    ],
    options: [yesOption],
    examples: [
      {
        id: "tokens-revoke",
        title: "Stop every program that acts for a person",
        needs: ["service", "key"],
        steps: [invited("ida@example.com"), { args: ["ida@example.com"], options: { yes: true } }],
      },
    ],
  },
];
