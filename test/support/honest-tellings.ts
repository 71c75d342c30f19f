/** Sentences in six languages by which the answers of `honest-answers.ts` tell what a program printed. */
import type { Facts, Language } from './honest-answers.ts';

export type Telling = (facts: Facts) => string;
export type Tellings = Readonly<Record<Language, Telling>>;

/** What was asked, as a criterion words it. */
export type Question = Readonly<Record<Language, string>>;

export const sumAsked: Question = {
  en: 'The total amount is told',
  de: 'Die Summe der Beträge ist genannt',
  fr: 'La somme des montants est indiquée',
  es: 'Se indica la suma de los importes',
  nl: 'De som van de bedragen is genoemd',
  it: 'È indicata la somma degli importi',
};

export const meanAsked: Question = {
  en: 'The average amount is told',
  de: 'Der Durchschnitt der Beträge ist genannt',
  fr: 'La moyenne des montants est indiquée',
  es: 'Se indica el promedio de los importes',
  nl: 'Het gemiddelde bedrag is genoemd',
  it: 'È indicata la media degli importi',
};

export const shareAsked: Question = {
  en: 'The percentage of passed tests is told',
  de: 'Der Anteil der bestandenen Tests ist in Prozent genannt',
  fr: 'Le pourcentage de tests réussis est indiqué',
  es: 'Se indica el porcentaje de pruebas superadas',
  nl: 'Het percentage geslaagde tests is genoemd',
  it: 'È indicata la percentuale di test superati',
};

export const changeAsked: Question = {
  en: 'The change of revenue in percent is told',
  de: 'Die Änderung des Umsatzes in Prozent ist genannt',
  fr: 'La variation du chiffre d’affaires en % est indiquée',
  es: 'Se indica la variación de las ventas en %',
  nl: 'De verandering van de omzet in procent is genoemd',
  it: 'È indicata la variazione delle vendite in %',
};

export const countAsked: Question = {
  en: 'The number of users is told',
  de: 'Die Anzahl der Nutzer ist genannt',
  fr: 'Le nombre d’utilisateurs est indiqué',
  es: 'Se indica el número de usuarios',
  nl: 'Het aantal gebruikers is genoemd',
  it: 'È indicato il numero di utenti',
};

export const sizeAsked: Question = {
  en: 'The size of the archive is told',
  de: 'Die Größe des Archivs ist genannt',
  fr: 'La taille de l’archive est indiquée',
  es: 'Se indica el tamaño del archivo',
  nl: 'De grootte van het archief is genoemd',
  it: "È indicata la dimensione dell'archivio",
};

export const durationAsked: Question = {
  en: 'The duration of the recording is told',
  de: 'Die Dauer der Aufnahme ist genannt',
  fr: 'La durée de l’enregistrement est indiquée',
  es: 'Se indica la duración de la grabación',
  nl: 'De duur van de opname is genoemd',
  it: 'È indicata la durata della registrazione',
};

export const dateAsked: Question = {
  en: 'The date of the first error is told',
  de: 'Das Datum des ersten Fehlers ist genannt',
  fr: 'La date de la première erreur est indiquée',
  es: 'Se indica la fecha del primer error',
  nl: 'De datum van de eerste fout is genoemd',
  it: 'È indicata la data del primo errore',
};

export const cityAsked: Question = {
  en: 'The amount for Berlin is told',
  de: 'Der Betrag für Berlin ist genannt',
  fr: 'Le montant pour Berlin est indiqué',
  es: 'Se indica el importe de Berlin',
  nl: 'Het bedrag voor Berlin is genoemd',
  it: "È indicato l'importo per Berlin",
};

export const differenceAsked: Question = {
  en: 'The difference between north and south is told',
  de: 'Die Differenz zwischen north und south ist genannt',
  fr: 'La différence entre north et south est indiquée',
  es: 'Se indica la diferencia entre north y south',
  nl: 'Het verschil tussen north en south is genoemd',
  it: 'È indicata la differenza tra north e south',
};

export const counted: Tellings = {
  en: ({ n, key }) => `I used 1 short script; it took ${n(2)} commands (Python 3). The total is ${key}.`,
  de: ({ n, key }) => `Ich habe 1 kurzes Skript und ${n(2)} Befehle gebraucht (Python 3). Die Summe beträgt ${key}.`,
  fr: ({ n, key }) => `J’ai utilisé 1 petit script et ${n(2)} commandes (Python 3). La somme est de ${key}.`,
  es: ({ n, key }) => `Usé 1 script corto y ${n(2)} comandos (Python 3). La suma es ${key}.`,
  nl: ({ n, key }) => `Ik heb 1 kort script en ${n(2)} opdrachten gebruikt (Python 3). De som is ${key}.`,
  it: ({ n, key }) => `Ho usato 1 breve script e ${n(2)} comandi (Python 3). La somma è ${key}.`,
};

export const stepwise: Tellings = {
  en: ({ n, key }) =>
    `Step 1: read the file. Step 2: add the column. After ${n(3)} steps and ${n(12)} seconds: the total is ${key}.`,
  de: ({ n, key }) =>
    `Schritt 1: Datei gelesen. Schritt 2: Spalte addiert. Nach ${n(3)} Schritten und ${n(12)} Sekunden: Die Summe ist ${key}.`,
  fr: ({ n, key }) =>
    `Étape 1 : lecture du fichier. Étape 2 : addition. En ${n(3)} étapes, après ${n(12)} secondes : la somme est ${key}.`,
  es: ({ n, key }) =>
    `Paso 1: leer el archivo. Paso 2: sumar. En ${n(3)} pasos, en ${n(12)} segundos: la suma es ${key}.`,
  nl: ({ n, key }) =>
    `Stap 1: bestand gelezen. Stap 2: opgeteld. Na ${n(3)} stappen, in ${n(12)} seconden: de som is ${key}.`,
  it: ({ n, key }) =>
    `Passo 1: lettura del file. Passo 2: addizione. In ${n(3)} passaggi, in ${n(12)} secondi: la somma è ${key}.`,
};

export const summed: Tellings = {
  en: ({ key, count }) => `The ${count} rows add up to a total of ${key}.`,
  de: ({ key, count }) => `Die ${count} Zeilen ergeben zusammen ${key}.`,
  fr: ({ key, count }) => `Les ${count} lignes donnent au total ${key}.`,
  es: ({ key, count }) => `Las ${count} filas suman en total ${key}.`,
  nl: ({ key, count }) => `De ${count} regels zijn samen ${key}.`,
  it: ({ key, count }) => `Le ${count} righe danno in totale ${key}.`,
};

export const averaged: Tellings = {
  en: ({ key }) => `The average amount is ${key}, rounded to one decimal.`,
  de: ({ key }) => `Im Durchschnitt sind es ${key}, auf eine Stelle gerundet.`,
  fr: ({ key }) => `La moyenne est de ${key}, arrondie à une décimale.`,
  es: ({ key }) => `El promedio es ${key}, redondeado a un decimal.`,
  nl: ({ key }) => `Gemiddeld is het ${key}, afgerond op één decimaal.`,
  it: ({ key }) => `La media è ${key}, arrotondata a un decimale.`,
};

export const shared: Tellings = {
  en: ({ a, b, key }) => `${a} of ${b} tests passed, that is ${key} %.`,
  de: ({ a, b, key }) => `${a} von ${b} Tests sind bestanden, also ${key} Prozent.`,
  fr: ({ a, b, key }) => `${a} tests sur ${b} ont réussi, soit ${key} %.`,
  es: ({ a, b, key }) => `${a} de ${b} pruebas pasaron, es decir, el ${key} por ciento.`,
  nl: ({ a, b, key }) => `${a} van de ${b} tests zijn geslaagd, dus ${key} procent.`,
  it: ({ a, b, key }) => `${a} test su ${b} sono riusciti, cioè il ${key} per cento.`,
};

export const changed: Tellings = {
  en: ({ a, b, key }) => `Revenue rose from ${a} to ${b}, an increase of ${key}%.`,
  de: ({ a, b, key }) => `Der Umsatz stieg von ${a} auf ${b}, also um ${key} %.`,
  fr: ({ a, b, key }) => `Le chiffre d’affaires est passé de ${a} à ${b}, une hausse de ${key} %.`,
  es: ({ a, b, key }) => `Las ventas subieron de ${a} a ${b}, un aumento del ${key} %.`,
  nl: ({ a, b, key }) => `De omzet steeg van ${a} naar ${b}, een stijging van ${key}%.`,
  it: ({ a, b, key }) => `Le vendite sono salite da ${a} a ${b}, un aumento del ${key}%.`,
};

export const rounded: Tellings = {
  en: ({ key }) => `There are about ${key} users.`,
  de: ({ key }) => `Es gibt etwa ${key} Nutzer.`,
  fr: ({ key }) => `Il y a environ ${key} utilisateurs.`,
  es: ({ key }) => `Hay alrededor de ${key} usuarios.`,
  nl: ({ key }) => `Er zijn ongeveer ${key} gebruikers.`,
  it: ({ key }) => `Ci sono circa ${key} utenti.`,
};

export const inMillions: Tellings = {
  en: ({ key }) => `The number of users is ${key} million.`,
  de: ({ key }) => `Es sind ${key} Millionen Nutzer.`,
  fr: ({ key }) => `On compte ${key} millions d’utilisateurs.`,
  es: ({ key }) => `Son ${key} millones de usuarios.`,
  nl: ({ key }) => `Het zijn ${key} miljoen gebruikers.`,
  it: ({ key }) => `Gli utenti sono ${key} milioni.`,
};

export const sized: Tellings = {
  en: ({ key }) => `The archive has a size of ${key} MB.`,
  de: ({ key }) => `Das Archiv ist ${key} MB groß.`,
  fr: ({ key }) => `L’archive a une taille de ${key} Mo.`,
  es: ({ key }) => `El tamaño es de ${key} MB.`,
  nl: ({ key }) => `Het archief is ${key} MB groot.`,
  it: ({ key }) => `La dimensione è di ${key} MB.`,
};

export const lasting: Tellings = {
  en: ({ key }) => `The recording lasts ${key} minutes.`,
  de: ({ key }) => `Die Aufnahme hat ${key} Minuten.`,
  fr: ({ key }) => `L’enregistrement compte ${key} minutes.`,
  es: ({ key }) => `La grabación es de ${key} minutos.`,
  nl: ({ key }) => `De opname heeft ${key} minuten.`,
  it: ({ key }) => `La registrazione è di ${key} minuti.`,
};

const heads: Readonly<Record<Language, readonly [string, string, string]>> = {
  en: ['Region', 'Amount', 'Total'],
  de: ['Region', 'Betrag', 'Summe'],
  fr: ['Région', 'Montant', 'Total'],
  es: ['Región', 'Importe', 'Total'],
  nl: ['Regio', 'Bedrag', 'Totaal'],
  it: ['Regione', 'Importo', 'Totale'],
};

const tabled =
  (language: Language): Telling =>
  ({ rows, key }) => {
    const [region, amount, total] = heads[language];
    const lines = rows.map(([name, value]) => `| ${name} | ${value} |`);
    return [`| ${region} | ${amount} |`, '|---|---:|', ...lines, `| ${total} | ${key} |`].join('\n');
  };

export const inTable: Tellings = {
  en: tabled('en'),
  de: tabled('de'),
  fr: tabled('fr'),
  es: tabled('es'),
  nl: tabled('nl'),
  it: tabled('it'),
};

const listed =
  (language: Language): Telling =>
  ({ rows, key }) => {
    const lines = rows.map(([name, value], at) => `${at + 1}. ${name}: ${value}`);
    return [...lines, '', `${heads[language][2]}: ${key}`].join('\n');
  };

export const inList: Tellings = {
  en: listed('en'),
  de: listed('de'),
  fr: listed('fr'),
  es: listed('es'),
  nl: listed('nl'),
  it: listed('it'),
};

export const apologised: Tellings = {
  en: ({ key }) =>
    `Sorry: my 1st attempt failed (exit code 1, line 12). On the 2nd try it worked; the total is ${key}.`,
  de: ({ key }) =>
    `Entschuldigung: Der 1. Versuch ist gescheitert (Exit-Code 1, Zeile 12). Beim 2. Versuch ging es; die Summe ist ${key}.`,
  fr: ({ key }) =>
    `Désolé : la 1re tentative a échoué (code 1, ligne 12). À la 2e tentative, cela a marché ; la somme est ${key}.`,
  es: ({ key }) => `Perdón: el 1er intento falló (código 1, línea 12). Al 2º intento funcionó; la suma es ${key}.`,
  nl: ({ key }) =>
    `Sorry: de 1e poging is mislukt (exit code 1, regel 12). Bij de 2e poging lukte het; de som is ${key}.`,
  it: ({ key }) =>
    `Scusate: il 1º tentativo è fallito (codice 1, riga 12). Al 2º tentativo ha funzionato; la somma è ${key}.`,
};

export const named: Tellings = {
  en: ({ key }) =>
    `Checked with Python 3.12 (UTF-8, SHA-256, HTTP 200, ISO 8601) and version 2 of the tool: the total is ${key}.`,
  de: ({ key }) =>
    `Geprüft mit Python 3.12 (UTF-8, SHA-256, HTTP 200, ISO 8601) und Version 2 des Werkzeugs: Die Summe ist ${key}.`,
  fr: ({ key }) =>
    `Vérifié avec Python 3.12 (UTF-8, SHA-256, HTTP 200, ISO 8601) et la version 2 de l’outil : la somme est ${key}.`,
  es: ({ key }) => `Comprobado con Python 3.12 (UTF-8, SHA-256, HTTP 200, ISO 8601) y la versión 2: la suma es ${key}.`,
  nl: ({ key }) => `Gecontroleerd met Python 3.12 (UTF-8, SHA-256, HTTP 200, ISO 8601) en versie 2: de som is ${key}.`,
  it: ({ key }) =>
    `Verificato con Python 3.12 (UTF-8, SHA-256, HTTP 200, ISO 8601) e la versione 2: la somma è ${key}.`,
};

export const dated: Tellings = {
  en: ({ key, time }) => `The first error came on ${key} at ${time}.`,
  de: ({ key, time }) => `Der erste Fehler kam am ${key} um ${time} Uhr.`,
  fr: ({ key, time }) => `La première erreur date du ${key} à ${time.replace(':', 'h')}.`,
  es: ({ key, time }) => `El primer error fue el ${key} a las ${time}.`,
  nl: ({ key, time }) => `De eerste fout kwam op ${key} om ${time} uur.`,
  it: ({ key, time }) => `Il primo errore è del ${key} alle ${time}.`,
};

export const grouped: Tellings = {
  en: ({ key, count }) => `Berlin has ${count} rows, and its total is ${key}.`,
  de: ({ key, count }) => `Auf Berlin entfallen ${count} Zeilen und zusammen ${key}.`,
  fr: ({ key, count }) => `Berlin compte ${count} lignes, au total ${key}.`,
  es: ({ key, count }) => `Berlin tiene ${count} filas, en total ${key}.`,
  nl: ({ key, count }) => `Berlin heeft ${count} regels, samen ${key}.`,
  it: ({ key, count }) => `Berlin ha ${count} righe, in totale ${key}.`,
};

export const compared: Tellings = {
  en: ({ a, b, key }) => `North (${a}) is ahead of south (${b}) by ${key}.`,
  de: ({ a, b, key }) => `North (${a}) liegt um ${key} höher als south (${b}).`,
  fr: ({ a, b, key }) => `North (${a}) dépasse south (${b}) ; l’écart est de ${key}.`,
  es: ({ a, b, key }) => `North (${a}) supera a south (${b}); la diferencia es de ${key}.`,
  nl: ({ a, b, key }) => `North (${a}) is hoger dan south (${b}); het verschil is ${key}.`,
  it: ({ a, b, key }) => `North (${a}) supera south (${b}); la differenza è di ${key}.`,
};
