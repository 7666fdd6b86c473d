/** Returns a time in milliseconds as Python writes a time without a zone: local, with microseconds unless there are none. */
export function localTime(milliseconds: number): string {
  const micros = Math.floor(milliseconds * 1000) % 1_000_000;
  const time = new Date(milliseconds);
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':');
  return `${day}T${clock}${micros === 0 ? '' : `.${String(micros).padStart(6, '0')}`}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
