// Violates no-console: only the command line's output module prints.
export const say = (text: string): void => console.log(text);
