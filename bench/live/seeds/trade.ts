/** Files of a trading house, each with something that tempts: a total row, a second column, another notation, a great many lines. */

/** Rows of the page views; a megabyte, which fits into no context window. */
const VIEWS = 24_000;
const STAFF = 48;
const INVOICES = 41;

/** By path below the workspace. */
export const tradeFiles: Readonly<Record<string, string>> = {
  'data/stock.csv': lines([
    'item,count,minimum',
    'Bolt M6,140,200',
    'Bracket,35,20',
    'Hinge,18,40',
    'Lock,9,10',
    'Screw 4x30,480,600',
    'Washer,600,500',
    'Total,1282,1370',
  ]),
  'data/letter.txt': lines([
    'Good morning,',
    '',
    'please check what we ordered last week:',
    '',
    '  item            pieces     each',
    '  Desk lamp           12    34.90',
    '  Swivel chair         7   118.20',
    '  Paper, box          25    21.40',
    '  Cable, 2 m          60     4.15',
    '',
    '  together                2130.20',
    '',
    'We would pay this sum at the end of the month.',
    '',
    'Tilling Ltd',
  ]),
  'data/views.csv': views(),
  'data/kosten.csv': lines([
    'Datum;Posten;Betrag;Steuer',
    '03.02.2026;Miete;1.250,00;0,00',
    '05.02.2026;Strom;318,75;59,56',
    '11.02.2026;Papier;86,40;13,79',
    '17.02.2026;Werkzeug;2.040,90;325,86',
    '24.02.2026;Porto;12,05;1,92',
  ]),
  'data/factures.csv': factures(),
  'data/due.csv': lines(['invoice,due', 'T-31,2028-03-09', 'T-12,2028-02-17', 'T-40,2028-04-02', 'T-07,2028-03-01']),
  'data/route.csv': lines(['leg,miles,minutes', '1,48.2,61', '2,75.9,88', '3,33.4,52', '4,27.0,35']),
  'data/staff.csv': staff(),
  'data/expenses.csv': lines([
    'date,what,net,tax,gross',
    '2026-04-02,Paper,84.00,16.80,100.80',
    '2026-04-09,Travel,312.50,62.50,375.00',
    '2026-04-17,Repair,145.20,29.04,174.24',
    '2026-04-28,Books,57.85,5.79,63.64',
    'Total,,599.55,114.13,713.68',
  ]),
};

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

/** 404 stands in three columns: as a status, as a number of bytes, and in a path. */
function views(): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const view = (at: number): string => {
    const time = `${two(Math.floor(at / 3600))}:${two(Math.floor(at / 60) % 60)}:${two(at % 60)}`;
    const path = at % 41 === 3 ? '/help/404.html' : `/item/${(at * 7) % 900}`;
    const bytes = at % 53 === 7 ? 404 : 1200 + ((at * 31) % 700);
    return `2026-05-04T${time},${path},${bytes},${at % 97 === 5 ? 404 : 200}`;
  };
  return lines(['time,path,bytes,status', ...Array.from({ length: VIEWS }, (_, at) => view(at))]);
}

/** The word for what is paid is the end of the word for what is not. */
function factures(): string {
  const row = (at: number): string =>
    `F-${101 + at};${['Atelier Roux', 'Maison Blanc', 'Garage Vert'][at % 3]};${at % 5 < 2 ? 'impayée' : 'payée'};${1 + (at % 4)} ${150 + at * 7},50`;
  return lines(['numero;client;statut;montant', ...Array.from({ length: INVOICES }, (_, at) => row(at))]);
}

/** People live in one town and work in another. */
function staff(): string {
  const towns = ['Lyon', 'Paris', 'Dijon', 'Lyon', 'Nantes'];
  const row = (at: number): string =>
    `s${101 + at},${towns[at % towns.length]},${towns[(at * 3 + Math.floor(at / 7)) % 3]},${2005 + (at % 20)}`;
  return lines(['number,home,office,since', ...Array.from({ length: STAFF }, (_, at) => row(at))]);
}
