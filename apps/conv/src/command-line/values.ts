import { InvalidArgumentError } from 'commander';

/** Reads an amount of US dollars. Throws `InvalidArgumentError`. */
export function dollars(text: string): number {
  const amount = Number(text);
  if (text.trim() !== '' && Number.isFinite(amount) && amount > 0) return amount;
  throw new InvalidArgumentError('It must be a number above 0.');
}

/** Reads a whole number from 1. Throws `InvalidArgumentError`. */
export function fromOne(text: string): number {
  return numberFrom(1, text);
}

/** Reads a whole number from 0. Throws `InvalidArgumentError`. */
export function wholeNumber(text: string): number {
  return numberFrom(0, text);
}

function numberFrom(least: number, text: string): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  if (number >= least) return number;
  throw new InvalidArgumentError(`It must be a whole number from ${least}.`);
}
