/** Sentences in six languages for manners in which honest work was once turned away: means of totals, two rows, ends, versions. */
import type { Question, Tellings } from './honest-tellings.ts';

export const perDayAsked: Question = {
  en: 'The average per day is told',
  de: 'Der Durchschnitt pro Tag ist genannt',
  fr: 'La moyenne par jour est indiquée',
  es: 'Se indica el promedio diario',
  nl: 'Het gemiddelde per dag is genoemd',
  it: 'È indicata la media giornaliera',
};

/** Of a total `a` and a number of days `b`. */
export const spread: Tellings = {
  en: ({ a, b, key }) => `A total of ${a} over ${b} days: ${key} a day.`,
  de: ({ a, b, key }) => `Insgesamt ${a} in ${b} Tagen: ${key} am Tag.`,
  fr: ({ a, b, key }) => `Au total ${a} en ${b} jours : ${key} par jour.`,
  es: ({ a, b, key }) => `Un total de ${a} en ${b} días: ${key} al día.`,
  nl: ({ a, b, key }) => `In totaal ${a} in ${b} dagen: ${key} per dag.`,
  it: ({ a, b, key }) => `In totale ${a} in ${b} giorni: ${key} al giorno.`,
};

export const apartAsked: Question = {
  en: 'How far Brook and Dane lie apart is told',
  de: 'Der Abstand zwischen Brook und Dane ist genannt',
  fr: 'La distance entre Brook et Dane est indiquée',
  es: 'Se indica la distancia entre Brook y Dane',
  nl: 'De afstand tussen Brook en Dane is genoemd',
  it: 'È indicata la distanza tra Brook e Dane',
};

export const apart: Tellings = {
  en: ({ key }) => `Brook and Dane are ${key} km apart.`,
  de: ({ key }) => `Brook und Dane liegen ${key} km auseinander.`,
  fr: ({ key }) => `Brook et Dane sont distants de ${key} km.`,
  es: ({ key }) => `Entre Brook y Dane hay ${key} km de diferencia.`,
  nl: ({ key }) => `Brook en Dane liggen ${key} km uit elkaar.`,
  it: ({ key }) => `Tra Brook e Dane ci sono ${key} km di differenza.`,
};

/** A figure with a point, and a full stop: a day in German, too. */
export const ended: Tellings = {
  en: ({ point }) => `The average amount is ${point}.`,
  de: ({ point }) => `Der Durchschnitt: ${point}.`,
  fr: ({ point }) => `La moyenne : ${point}.`,
  es: ({ point }) => `El promedio: ${point}.`,
  nl: ({ point }) => `Gemiddeld ${point}.`,
  it: ({ point }) => `La media: ${point}.`,
};

export const licensed: Tellings = {
  en: ({ key }) => `By OpenAPI 3.1 and TLS 1.3 (Kubernetes 1.31, Apache License 2.0, GPL-3.0), the total is ${key}.`,
  de: ({ key }) => `Nach OpenAPI 3.1 und TLS 1.3 (Kubernetes 1.31, GPL-3.0, SemVer 2.0) ist die Summe ${key}.`,
  fr: ({ key }) => `Avec OpenAPI 3.1 et TLS 1.3 (Kubernetes 1.31, licence Apache 2.0), la somme est ${key}.`,
  es: ({ key }) => `Con OpenAPI 3.1 y TLS 1.3 (Kubernetes 1.31, licencia Apache 2.0), la suma es ${key}.`,
  nl: ({ key }) => `Met OpenAPI 3.1 en TLS 1.3 (Kubernetes 1.31, GPL-3.0) is de som ${key}.`,
  it: ({ key }) => `Con OpenAPI 3.1 e TLS 1.3 (Kubernetes 1.31, licenza Apache 2.0), la somma è ${key}.`,
};
