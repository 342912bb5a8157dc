/** A text as one word of a POSIX shell command, quoted only when it must be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A command line that a person can paste. */
export function shellCommand(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

/** A text on standard input, under a mark that does not occur in it. */
export function hereDocument(text: string): string {
  let mark = "EOF";
  while (text.split("\n").includes(mark)) mark += "_";
  return `<<'${mark}'\n${text.replace(/\n$/, "")}\n${mark}`;
}

/** The words of a command line that `shellCommand` could have written. */
export function shellWords(line: string): readonly string[] {
  return (line.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? []).map((word) =>
    word.replaceAll(
      /'([^']*)'|\\(.)/g,
      (_whole, quoted?: string, escaped?: string) => quoted ?? escaped ?? "",
    ),
  );
}
