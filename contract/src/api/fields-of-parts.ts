/** Generated from the parts by `npm run gen`: manifest fields, as `KIND PATH`, that have an effect through one of them. */
export const fieldsOfParts: readonly string[] = [
  'Agent spec.scheduler',
  'Agent spec.upkeep.forecaster',
  'Agent spec.channels.email',
  'Agent spec.budgets.hopsMax',
  'Agent spec.budgets.pairExchangesMax',
];
