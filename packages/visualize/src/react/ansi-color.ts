/** The colours of terminals for which there is a colour in each scheme of a page. */
export type AnsiColor = 'black' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'white';

/** The difference of the strongest and the weakest part of a colour below which it is a grey. */
const GREY = 48;

/** The hues at which the next colour begins, in degrees. */
const HUES: readonly (readonly [until: number, color: AnsiColor])[] = [
  [22, 'red'],
  [70, 'yellow'],
  [165, 'green'],
  [200, 'cyan'],
  [262, 'blue'],
  [335, 'magenta'],
  [360, 'red'],
];

/**
 * Returns the colour that is nearest to a colour as anser names it: one of the usual ones, one of the 256, or, with `exact`, any mix of
 * red, green and blue. `undefined` for no colour.
 */
export function ansiColor(name: string | null, exact: string | null): AnsiColor | undefined {
  const [, usual] = /^ansi-(?:bright-)?(black|red|green|yellow|blue|magenta|cyan|white)$/.exec(name ?? '') ?? [];
  if (usual !== undefined) return usual as AnsiColor;
  const [, place] = /^ansi-palette-(\d+)$/.exec(name ?? '') ?? [];
  if (place !== undefined) return nearest(mixOf(Number(place)));
  return name === 'ansi-truecolor' && exact !== null ? nearest(exact.split(',').map(Number)) : undefined;
}

/** Returns red, green and blue of a colour of the 256, from 16 on: a cube of 6 × 6 × 6, and 24 greys. */
function mixOf(place: number): readonly number[] {
  if (place >= 232) return [1, 1, 1].map(() => 8 + (place - 232) * 10);
  const cube = place - 16;
  return [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((part) => (part === 0 ? 0 : 55 + part * 40));
}

function nearest([red = 0, green = 0, blue = 0]: readonly number[]): AnsiColor | undefined {
  const most = Math.max(red, green, blue);
  const spread = most - Math.min(red, green, blue);
  if (spread < GREY) return most < 128 ? 'black' : 'white';
  const sixth =
    most === red ? (green - blue) / spread : most === green ? 2 + (blue - red) / spread : 4 + (red - green) / spread;
  const hue = (sixth * 60 + 360) % 360;
  return HUES.find(([until]) => hue < until)?.[1];
}
