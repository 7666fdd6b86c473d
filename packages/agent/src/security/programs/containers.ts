import { UNKNOWN } from '../facts/places.ts';
import { type Call, namesOf, type Program } from '../commands/call.ts';
import { readFrom } from '../commands/file-access.ts';
import { unwrapped } from '../commands/unwrapped.ts';

/** Judges tools of containers by the access of a container to the machine, and by the commands and deletions in it. */
const container: Program = (call) => {
  const { texts, shell, words } = call;
  const [command = ''] = texts.filter((text) => !text.startsWith('-'));
  const all = texts.join(' ');
  if (/^(?:run|create|exec)$/.test(command)) {
    const mounts = words
      .filter((_, at) => /^(?:-v|--volume|--mount)$/.test(texts[at - 1] ?? ''))
      .map(({ text }) => text);
    const joined = texts.flatMap((text) => /^(?:-v|--volume=|--mount=)(.+)$/.exec(text)?.[1] ?? []);
    const isOpen = [...mounts, ...joined].some((mount) => isWholeMachine(mount, call));
    if (
      /--privileged\b|--pid[= ]host|--userns[= ]host|--cap-add[= ](?:ALL|SYS_ADMIN)|--device[= ]\/dev\/(?:sd|nvme|mem)/.test(
        all,
      ) ||
      isOpen
    )
      shell.report('take-machine');
  }
  readGiven(call, command);
  runInside(call, command);
  if (/\b(?:system|volume|image|container|network|builder) prune\b/.test(all))
    shell.report(/--volumes|volume prune/.test(all) ? 'destroy-service' : 'service-data');
  if (/^(?:push|login)$/.test(command)) shell.report('publish');
  if (command === 'pull') shell.report('fetch');
};

/** Files that are given into an image or a container, or out of the machine. */
function readGiven({ texts, shell }: Call, command: string): void {
  let origin = 0;
  for (const text of texts) {
    const file = /(?:^|,)(?:src|source)=([^,]+)/.exec(text)?.[1] ?? (command === 'cp' ? text : undefined);
    if (file !== undefined && /^[/~.]/.test(file)) origin |= readFrom(file, shell, true);
  }
  if (origin !== 0 && texts.includes('--push')) shell.report('send-secrets');
}

const CONTAINER_VALUES =
  '-e -u -w -v -p -h -l -m --env --user --workdir --volume --name --network --entrypoint --cpus --label --mount --env-file --add-host --platform --pull --publish --memory -f --file --project-name';

/** The command that is run in a container. */
function runInside(call: Call, command: string): void {
  const { words, texts, shell } = call;
  const named =
    command === 'compose' ? texts.findIndex((text) => text === 'exec' || text === 'run') : texts.indexOf(command);
  if (named === -1 || !/^(?:exec|run|compose)$/.test(command)) return;
  const rest = unwrapped(words.slice(named + 1), { values: CONTAINER_VALUES, operands: 1 });
  if (rest.length > 0) shell.run(rest, call.input);
}

function isWholeMachine(mount: string, { shell }: Call): boolean {
  const source = /(?:source|src)=([^,]+)/.exec(mount)?.[1] ?? mount.split(':', 1)[0] ?? '';
  if (readFrom(source, shell, true) !== 0) return true;
  if (source === '' || !/^[/~.\0]/.test(source)) return false;
  const { kind } = shell.place(source);
  return (
    kind === 'above' || kind === 'system' || kind === 'home' || source.includes('docker.sock') || source === UNKNOWN
  );
}

/** Tools of containers. */
export const containerPrograms: Readonly<Record<string, Program>> = namesOf(container, 'docker podman nerdctl');
