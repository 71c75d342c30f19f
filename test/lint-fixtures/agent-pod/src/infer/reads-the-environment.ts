// Violates node(no-process-env): the environment is read in config.ts only.
export const key = (): string | undefined => process.env['ANTHROPIC_API_KEY'];
