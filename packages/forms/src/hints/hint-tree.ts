import { isRecord } from "../values/json.ts";

/*
 * Hints of a second document, by the place they are for. Every format (pointers, RJSF, JSON Forms) is read into this
 * tree, with what it says in the words of `x-ui`.
 */

/** The hints of one place and of those below it. */
export interface HintNode {
  /** In the words of `x-ui`. */
  readonly own: Record<string, unknown>;
  readonly children: Map<string, HintNode>;
  items: HintNode | undefined;
  /** Of members that the person names. */
  additional: HintNode | undefined;
  readonly tuple: Map<number, HintNode>;
  readonly variants: Map<number, HintNode>;
}

/** Says that a hint has no effect: where it stands in the document, and why. */
export type Remark = (pointer: string, message: string) => void;

/** More than this is not looked at: a document of hints is written by a person. */
export const DEEPEST_HINT = 24;

/** A place without hints. */
export function hintNode(): HintNode {
  return {
    own: {},
    children: new Map(),
    items: undefined,
    additional: undefined,
    tuple: new Map(),
    variants: new Map(),
  };
}

/** The place below another one: a member by its name, `*` for items and members that the person names. */
function below(node: HintNode, token: string): HintNode {
  if (token === "*") {
    const inner = node.items ?? hintNode();
    node.items = inner;
    node.additional = inner;
    return inner;
  }
  let child = node.children.get(token);
  if (child === undefined) node.children.set(token, (child = hintNode()));
  return child;
}

/** The place that a path leads to. */
export function nodeAt(root: HintNode, tokens: readonly string[]): HintNode {
  return tokens.reduce(below, root);
}

/** Sets one of the options of a widget. */
export function setOption(node: HintNode, name: string, value: unknown): void {
  const { options } = node.own;
  node.own["options"] = { ...(isRecord(options) && options), [name]: value };
}
