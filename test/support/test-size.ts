/** `RETAINER_TEST_SIZE=nightly`: as many rounds and as long times as the goals name, instead of what a check has time for. */
export const isNightly = process.env['RETAINER_TEST_SIZE'] === 'nightly';
