import { GLOBAL_OPTIONS, PROGRAM } from "./conventions.ts";
import type { CommandSpec, OptionSpec } from "./spec.ts";
import type { CommandTable } from "./table.ts";

/** A shell that completion exists for. */
export type Shell = "bash" | "zsh" | "fish";

/** The completion script of a shell, made from the table. Tool names are asked of the service while you type. */
export function completionScript(shell: Shell, table: CommandTable): string {
  switch (shell) {
    case "bash":
      return bashScript(table);
    case "zsh":
      return zshScript(table);
    case "fish":
      return fishScript(table);
  }
}

const optionsOf = (command: CommandSpec): readonly OptionSpec[] => [
  ...(command.options ?? []),
  ...GLOBAL_OPTIONS,
];
const isPair = (command: CommandSpec): boolean => command.path.includes(" ");

/** The words that can follow a beginning of a command. */
function nextWords(commands: readonly CommandSpec[], prefix: readonly string[]): readonly string[] {
  const words = commands
    .map(({ path }) => path.split(" "))
    .filter((path) => prefix.every((word, index) => path[index] === word))
    .map((path) => path[prefix.length]);
  return [...new Set(words.filter((word) => word !== undefined))];
}

/** What the first argument of a command can be. */
function firstArgument(command: CommandSpec): string {
  const [first] = command.args ?? [];
  if (first?.choices !== undefined) return first.choices.join(" ");
  if (first?.kind === "file") return "@files";
  return first?.kind !== undefined && Object.hasOwn(ASKED, first.kind) ? `@${first.kind}` : "";
}

/** What the service is asked for while you type. */
const ASKED: Readonly<Record<string, string>> = {
  tool: `${PROGRAM} tools list --quiet 2>/dev/null`,
  credential: `${PROGRAM} vault list --quiet 2>/dev/null`,
  connection: `${PROGRAM} connections list --quiet 2>/dev/null`,
  connected: `${PROGRAM} connections tools --limit 100 --quiet 2>/dev/null`,
};

/** What tells the fields of a connected tool. */
const FIELDS = `${PROGRAM} connections fields`;

/** In bash only what stands after the last colon is replaced, so what stands before it is cut off. */
const CONNECTED_NAMES = `local before=""; [ "$prev" = ":" ] && before="\${COMP_WORDS[COMP_CWORD-2]}:"
          [ "$cur" = ":" ] && { before="$prev:"; cur=""; }
          COMPREPLY=($(compgen -W "$(${ASKED["connected"] ?? ""})" -- "$before$cur")); COMPREPLY=("\${COMPREPLY[@]#"$before"}")`;

function bashScript({ commands, groups: named }: CommandTable): string {
  const cases = commands.map(
    (command) =>
      `    "${command.path}") opts="${optionsOf(command)
        .map(({ name }) => `--${name}`)
        .join(" ")}"; first="${firstArgument(command)}" ;;`,
  );
  const groups = named.map(({ name }) => `    ${name}) words="${nextWords(commands, [name]).join(" ")}" ;;`);
  // Commands share names of options, so the choices of one stand under its command.
  const choices = commands.flatMap(({ path, options = [] }) =>
    options.flatMap(({ name, choices: words }) => {
      const at = `${path.replace(" ", ":")}${path.includes(" ") ? "" : ":*"}:--${name}`;
      return words === undefined
        ? []
        : [`    ${at}) COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$cur")); return ;;`];
    }),
  );
  const asked = Object.entries(ASKED).map(
    ([kind, command]) =>
      `        @${kind}) ${kind === "connected" ? CONNECTED_NAMES : `COMPREPLY=($(compgen -W "$(${command})" -- "$cur"))`} ;;`,
  );
  const files = [...new Set(commands.flatMap(optionsOf).filter(({ kind }) => kind === "file"))].map(
    ({ name }) => `--${name}`,
  );
  return `# bash completion for ${PROGRAM}; load it with: source <(${PROGRAM} completion bash)
_${PROGRAM}() {
  local cur prev words="" opts="" first="" path
  COMPREPLY=()
  cur="\${COMP_WORDS[COMP_CWORD]}"
  prev="\${COMP_WORDS[COMP_CWORD-1]}"
  case "\${COMP_WORDS[1]}:\${COMP_WORDS[2]}:$prev" in
${choices.join("\n")}
  esac
  case "$prev" in
    ${[...new Set(files)].join("|")}) COMPREPLY=($(compgen -f -- "$cur")); return ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${nextWords(commands, []).join(" ")}" -- "$cur")); return
  fi
  case "\${COMP_WORDS[1]}" in
${groups.join("\n")}
  esac
  if [ -n "$words" ] && [ "$COMP_CWORD" -eq 2 ]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur")); return
  fi
  path="\${COMP_WORDS[1]}"
  [ -n "$words" ] && path="$path \${COMP_WORDS[2]}"
  case "$path" in
${cases.join("\n")}
  esac
  case "$cur" in
    -*)
      # A colon ends a word in bash, so the name of a connected tool may be three words.
      if [ "$path" = call ]; then
        local tool="\${COMP_WORDS[2]}"
        [ "\${COMP_WORDS[3]}" = ":" ] && tool="$tool:\${COMP_WORDS[4]}"
        opts="$opts $(${FIELDS} "$tool" --quiet 2>/dev/null)"
      fi
      COMPREPLY=($(compgen -W "$opts" -- "$cur")) ;;
    *)
      case "$first" in
${asked.join("\n")}
        @files) COMPREPLY=($(compgen -f -- "$cur")) ;;
        ?*) COMPREPLY=($(compgen -W "$first" -- "$cur")) ;;
      esac ;;
  esac
}
complete -F _${PROGRAM} ${PROGRAM}
`;
}

const zshText = (text: string): string => text.replaceAll(/[[\]:\\]/g, "\\$&").replaceAll("'", "'\\''");

const ZSH_ASKED: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(ASKED).map((kind) => [`@${kind}`, `_suitectl_${kind}`]),
);

function zshScript({ commands, groups: named }: CommandTable): string {
  const describe = (items: readonly { readonly name: string; readonly summary: string }[]): string =>
    items.map(({ name, summary }) => `'${name}:${zshText(summary)}'`).join(" ");
  const roots = [
    ...commands.filter((command) => !isPair(command)).map(({ path, summary }) => ({ name: path, summary })),
    ...named,
  ];
  const groups = named.map(({ name }) => {
    const inner = commands
      .filter(({ path }) => path.startsWith(`${name} `))
      .map(({ path, summary }) => ({
        name: path.slice(name.length + 1),
        summary,
      }));
    return `    ${name}) items=(${describe(inner)}) ;;`;
  });
  const cases = commands.map((command) => {
    const specs = optionsOf(command).map(zshOption);
    const first = firstArgument(command);
    const value =
      first in ZSH_ASKED
        ? (ZSH_ASKED[first] ?? "")
        : first === "@files"
          ? "_files"
          : first === ""
            ? ""
            : `(${first})`;
    return `    '${command.path}') _arguments ${specs.join(" ")}${value === "" ? "" : ` '*:value:${value}'`} ;;`;
  });
  const askers = Object.entries(ASKED).map(
    ([kind, command]) =>
      `_suitectl_${kind}() { local -a names; names=(\${(f)"$(${command})"}); compadd -a names }`,
  );
  // Not `path`: in zsh that name is the search path itself.
  return `#compdef ${PROGRAM}
${askers.join("\n")}
_${PROGRAM}() {
  local -a items
  local command="$words[2]" skip=1
  if (( CURRENT == 2 )); then
    items=(${describe(roots)})
    _describe command items; return
  fi
  case "$words[2]" in
${groups.join("\n")}
  esac
  if (( $#items )); then
    if (( CURRENT == 3 )); then _describe command items; return; fi
    command="$words[2] $words[3]"; skip=2
  fi
  shift $skip words; (( CURRENT -= skip ))
  if [ "$command" = call ] && [[ "$words[CURRENT]" = -* ]]; then
    items=(\${(f)"$(${FIELDS} "$words[2]" --quiet 2>/dev/null)"}); compadd -a items
  fi
  case "$command" in
${cases.join("\n")}
  esac
}
if [ "$funcstack[1]" = "_${PROGRAM}" ]; then _${PROGRAM} "$@"; else compdef _${PROGRAM} ${PROGRAM}; fi
`;
}

function zshOption({ name, summary, value, choices, kind, many }: OptionSpec): string {
  const argument =
    value === undefined
      ? ""
      : `:${value.toLowerCase().replaceAll(":", "")}:${choices ? `(${choices.join(" ")})` : kind === "file" ? "_files" : ""}`;
  return `'${many === true ? "*" : ""}--${name}[${zshText(summary)}]${argument}'`;
}

const fishText = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function fishScript({ commands, groups: named }: CommandTable): string {
  const lines = [`# fish completion for ${PROGRAM}`, `complete -c ${PROGRAM} -f`];
  const add = (when: string, rest: string): number =>
    lines.push(`complete -c ${PROGRAM} -n ${fishText(when)} ${rest}`);
  for (const command of commands) {
    if (!isPair(command)) add("__fish_use_subcommand", `-a ${command.path} -d ${fishText(command.summary)}`);
  }
  for (const { name, summary } of named) {
    add("__fish_use_subcommand", `-a ${name} -d ${fishText(summary)}`);
    const inner = nextWords(commands, [name]).join(" ");
    for (const command of commands.filter(({ path }) => path.startsWith(`${name} `))) {
      const word = command.path.slice(name.length + 1);
      add(
        `__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${inner}`,
        `-a ${word} -d ${fishText(command.summary)}`,
      );
    }
  }
  for (const command of commands) {
    const seen = command.path
      .split(" ")
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join("; and ");
    for (const { name, short, summary, value, choices, kind } of optionsOf(command)) {
      const takes =
        value === undefined
          ? ""
          : choices
            ? ` -x -a ${fishText(choices.join(" "))}`
            : kind === "file"
              ? " -r -F"
              : " -x";
      add(seen, `-l ${name}${short === undefined ? "" : ` -s ${short}`}${takes} -d ${fishText(summary)}`);
    }
    const first = firstArgument(command);
    const asked = first.startsWith("@") ? ASKED[first.slice(1)] : undefined;
    if (asked !== undefined) add(seen, `-a ${fishText(`(${asked})`)}`);
    else if (first === "@files") add(seen, "-F");
    else if (first !== "") add(seen, `-a ${fishText(first)}`);
  }
  add(
    "__fish_seen_subcommand_from call",
    `-a ${fishText(`(${FIELDS} (commandline -opc)[3] --quiet 2>/dev/null)`)}`,
  );
  return `${lines.join("\n")}\n`;
}
