// Violates unicorn(filename-case): files are kebab-case.
export const one = 1;
