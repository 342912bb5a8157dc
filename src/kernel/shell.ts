/** A text as one word of a POSIX shell command, quoted only when it must be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A command line that a person can paste. */
export function shellCommand(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}
