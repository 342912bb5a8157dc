import { Type } from "typebox";
import { defineTool, type Tool } from "../ports/definitions.ts";
import { anyData, params, unavailable } from "./shapes.ts";

export const listCliExamples = defineTool({
  name: "list_cli_examples",
  title: "List cli examples",
  description: "list cli examples (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("list_cli_examples"),
});

export const getCliExample = defineTool({
  name: "get_cli_example",
  title: "Get cli example",
  description: "one suitectl example (description to be written by the owner of this domain)",
  params: params({ id: Type.String() }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_cli_example"),
});

export const generateSuitectlCommand = defineTool({
  name: "generate_suitectl_command",
  title: "Generate suitectl command",
  description: "reproducible suitectl command (description to be written by the owner of this domain)",
  params: params({
    artifactId: Type.Optional(Type.String()),
    templateId: Type.Optional(Type.String()),
    target: Type.Optional(Type.String()),
    action: Type.Optional(Type.String()),
    protected: Type.Optional(Type.Boolean()),
  }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("generate_suitectl_command"),
});

/** The tools of this domain. */
export const cliTools: readonly Tool[] = [listCliExamples, getCliExample, generateSuitectlCommand];
