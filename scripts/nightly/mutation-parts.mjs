/** Of the parts of the night: the mutants, by the beginnings of their names. */
/** @typedef {import('./parts.mjs').Part} Part */

/**
 * @param {(...beginnings: readonly string[]) => Pick<Part, 'command'>} mutants
 * @returns {readonly Part[]}
 */
export const mutationParts = (mutants) => [
  {
    ...{ name: 'mutants-gate', minutes: 15, ...mutants('gate', 'input', 'approvals', 'choices') },
    finds: 'a line of the gate that no test would miss',
  },
  {
    ...{ name: 'mutants-journal', minutes: 15, ...mutants('journal', 'audit') },
    finds: 'a line of the journal that no test would miss',
  },
  {
    ...{
      name: 'mutants-surroundings',
      minutes: 8,
      ...mutants('output', 'terminal', 'manifests', 'files', 'left behind', 'links'),
    },
    finds: 'a line that a terminal, a disk or a file of others can make lie, and that nothing tests',
  },
  {
    ...{ name: 'mutants-models', minutes: 15, ...mutants('infer', 'network', 'outage', 'weak models') },
    finds: 'a line on the way to a model and back that no test would miss',
  },
  {
    ...{ name: 'mutants-others', minutes: 15 },
    ...mutants('deliver', 'sandbox', 'operator', 'cluster', 'jobs', 'loop', 'memory', 'redaction', 'tools'),
    finds: 'a line that carries another promise and that no test would miss',
  },
  {
    ...{ name: 'mutants-verdicts', minutes: 15, ...mutants('verdict') },
    finds: 'a line by which a lie about a file or a figure would be believed, and that no test would miss',
  },
  {
    ...{ name: 'mutants-mail', minutes: 20, ...mutants('letters', 'mail') },
    finds: 'a line of mail that carries a promise and that no test would miss',
  },
];
