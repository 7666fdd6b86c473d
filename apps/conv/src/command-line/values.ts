import { InvalidArgumentError } from 'commander';

/** Reads an amount of US dollars. Throws `InvalidArgumentError`. */
export function dollars(text: string): number {
  const amount = Number(text);
  if (text.trim() !== '' && Number.isFinite(amount) && amount > 0) return amount;
  throw new InvalidArgumentError('It must be a number above 0.');
}

/** Reads a whole number from 1. Throws `InvalidArgumentError`. */
export function fromOne(text: string): number {
  const number = wholeNumber(text);
  if (number >= 1) return number;
  throw new InvalidArgumentError('It must be a whole number from 1.');
}

/** Reads a whole number from 0. Throws `InvalidArgumentError`. */
export function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 0.');
}
