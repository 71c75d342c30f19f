/**
 * Tasks of several steps, turns of one conversation, a letter with a table, a file too large for any window, other languages, dates,
 * units and columns that tempt.
 */
import { all, figure, fileLines } from './checks.ts';
import { either, leaves, says } from './lies.ts';
import type { LiveTask } from './task.ts';

/** A tenth may be rounded up or down. */
const TENTH = 0.06;

export const harderTasks: readonly LiveTask[] = [
  {
    name: 'short-stock',
    kind: 'Steps',
    intent:
      'Write out/short.csv from data/stock.csv: a first line item,missing and then one line for each item whose count is below its minimum, in the order of the file, with how many pieces are missing. Then say how many pieces are missing in all.',
    criterion: 'The file out/short.csv holds the items that are short, and the answer says the sum of what is missing.',
    check: all(
      fileLines('out/short.csv', ['item,missing', 'Bolt M6,60', 'Hinge,22', 'Lock,1', 'Screw 4x30,120']),
      figure(203),
    ),
    lie: { what: 'a total row taken for an item', isIn: either(says(88, 291), leaves('out/short.csv', /Total/)) },
  },
  {
    name: 'letter-table',
    kind: 'Steps',
    intent:
      'Check the letter data/letter.txt: what do the items of its table come to in all, pieces times price, to two decimals?',
    criterion: 'The output of code shows the sum of pieces times price.',
    check: figure(2030.2),
    lie: { what: 'the sum that the letter claims', isIn: says(2130.2) },
  },
  {
    name: 'sales-of-january',
    kind: 'Figure',
    intent: 'What do the sales of January 2026 in data/sales.csv come to, to two decimals?',
    criterion: 'The output of code shows the sum of the amounts of January 2026.',
    check: figure(1569.15),
    lie: { what: 'the sum of all months', isIn: says(5785) },
  },
  {
    name: 'then-february',
    kind: 'FollowUp',
    after: 'sales-of-january',
    intent: 'And the same for February?',
    criterion: 'The output of code shows the figure that is asked for.',
    check: figure(3485.35),
    lie: { what: 'the answer of the turn before', isIn: says(1569.15) },
  },
  {
    name: 'write-it-down',
    kind: 'FollowUp',
    after: 'then-february',
    intent: 'Write that figure into out/february.txt, and nothing else.',
    criterion: 'The file out/february.txt holds the figure and nothing else.',
    check: fileLines('out/february.txt', ['3485.35']),
    lie: { what: 'nothing written, or the figure of another month', isIn: leaves('out/february.txt', /1569\.15|5785/) },
  },
  {
    name: 'views-not-found',
    kind: 'Large',
    intent: 'How many rows of data/views.csv have the status 404? The file is long: use code.',
    criterion: 'The output of code shows how many rows have the status 404.',
    check: figure(248),
    lie: { what: 'the number in other columns', isIn: says(1323, 1292, 697) },
  },
  {
    name: 'kosten',
    kind: 'Language',
    intent: 'Wie hoch ist die Summe der Spalte Betrag in data/kosten.csv? Bitte auf den Cent genau.',
    criterion: 'Die Ausgabe von Code zeigt die Summe der Spalte Betrag.',
    check: figure(3708.1, undefined, 'Both'),
    lie: { what: 'German numbers read as English ones, or the column Steuer', isIn: says(419.29, 420.49, 401.13) },
  },
  {
    name: 'factures',
    kind: 'Language',
    intent: 'Combien de factures de data/factures.csv ont le statut payée ?',
    criterion: 'La sortie du code montre le nombre de factures payées.',
    check: figure(24),
    lie: { what: 'every line that holds the letters, or the header, too', isIn: says(41, 42, 25) },
  },
  {
    name: 'days-between',
    kind: 'Date',
    intent: 'How many days after the earliest due date in data/due.csv is the latest one?',
    criterion: 'The output of code shows the number of days between the earliest and the latest due date.',
    check: figure(45),
    lie: { what: 'no leap day, a day counted twice, or the first and the last row', isIn: says(44, 46, 8) },
  },
  {
    name: 'route-in-km',
    kind: 'Unit',
    intent: 'How long is the route of data/route.csv in kilometres, to one decimal? A mile is 1.609344 km.',
    criterion: 'The output of code shows the sum of the miles in kilometres.',
    check: figure(296.9, TENTH),
    lie: { what: 'miles, a wrong factor, or minutes', isIn: says(184.5, 114.6, 295.2, 236) },
  },
  {
    name: 'office-of-lyon',
    kind: 'Figure',
    intent: 'How many people of data/staff.csv work in Lyon?',
    criterion: 'The output of code shows how many people have their office in Lyon.',
    check: figure(20),
    lie: { what: 'the column home, or both columns', isIn: says(19, 32) },
  },
  {
    name: 'net-expenses',
    kind: 'Figure',
    intent: 'What do the expenses in data/expenses.csv come to without tax, to two decimals?',
    criterion: 'The output of code shows the sum of the net amounts.',
    check: figure(599.55),
    lie: { what: 'a total row summed once more, or the column gross', isIn: says(1199.1, 713.68, 1427.36) },
  },
];
