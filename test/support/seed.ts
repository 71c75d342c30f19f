/**
 * The one seed of everything that tests draw. A constant, so that the same tree gets the same verdict; `npm run nightly` draws
 * another one and prints it. `RETAINER_SEED=4711 npx vitest run FILE` repeats what a nightly run found; the counter-example then
 * becomes an example of its test.
 */
const wanted = process.env['RETAINER_SEED'];
if (wanted !== undefined && !/^\d{1,9}$/.test(wanted))
  throw new Error(`RETAINER_SEED=${wanted}: it is a whole number of at most nine digits`);

/** The seed that RETAINER_SEED names, else this one: for a test whose figures stand in a document. */
export function seedOr(constant: number): number {
  return wanted === undefined ? constant : Number(wanted);
}

/** Without RETAINER_SEED the day on which the gate was made steady. */
export const testSeed = seedOr(20_261_128);
