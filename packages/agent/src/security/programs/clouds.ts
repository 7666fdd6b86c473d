import { UNKNOWN } from '../facts/places.ts';
import type { ShellReader } from '../shell/reader.ts';
import { type Call, hasOption, namesOf, type Program } from '../commands/call.ts';
import { readFrom } from '../commands/file-access.ts';

const PRINTS_KEYS =
  /\b(?:auth token|print-access-token|print-identity-token|get-secret-value|get-session-token|assume-role|get secrets?|describe secrets?|secrets? (?:show|download|get|view|reveal|pull)|create-access-key|create-login-profile|create token|(?:service-accounts|account|service-key|access-keys?|api-keys?) keys? (?:create|list|renew)|create-service-key|list-keys|secrets? versions access|kv get|config get-value|accesskeys|env pull|config view .{0,300}--raw|auth status .{0,300}--show-token|get-parameters?(?:-by-path)? .{0,300}--with-decryption)\b/;

/** Words that ask for a secret. `SECRET` matches the words for secrets. */
const ASKS_FOR =
  /^(?:get|show|print|export|reveal|create|generate|pull|read|fetch|download|access|view|rotate|reset)(?:-|$)/;
const SECRET = /(?:^|[-_.:])(?:tokens?|passwords?|secrets?|api-?keys?|access-?keys?|private-?keys?)(?:-data|-value)?$/i;

const STOPS =
  /^(?:stop|drain|suspend|disable|evict|cordon|deregister|detach|terminate|cancel|kill|scale-to-zero|maintenance:on)(?:-|:|$)|^ps:stop$/;

/** Words of commands that only look, or work on files of the workspace. */
const LOOKS =
  /^(?:get|list|ls|describe|show|view|status|logs?|versions?|help|plan|fmt|format|validate|template|lint|diff|checks?|whoami|top|explain|wait|rollout|history|search|info|init|output|graph|providers|events|api-resources|api-versions|cluster-info|config|configure|auth|login|docs?|watch|browse|checkout|clone|head|lookup|test|build|dev|serve|start|preview|dependency|repo|inspect|synth|console|completion|ps|port-forward|proxy|emulators|filter|batch-get|query|scan|estimate|simulate|exec|run|debug|cp|sync|mv|rm|-v|-h)(?:-|:|$)/;

const GRANTS =
  /\b(?:(?:add|set)-iam-policy(?:-binding)?|attach-(?:user|role|group)-policy|put-(?:user|role|group)-policy|create-policy-version|update-assume-role-policy|add-user-to-group|role assignment create|add-role-to-user|add-cluster-role-to-user|(?:cluster)?rolebinding|cluster-admin|AdministratorAccess|access add|collaborators? add|add-collaborator)\b|\broles\/(?:owner|editor)\b/;

const EXPOSES =
  /(?:^|[\s=:'"])(?:0\.0\.0\.0\/0|::\/0|255\.255\.255\.255)(?:$|[\s,'"])|\bpublic-read(?:-write)?\b|\ball(?:Authenticated)?Users\b|delete-public-access-block|--public-access (?:blob|container)|--visibility[ =]public|--publicly-accessible\b|--allow-unauthenticated\b|--principal[ =]["']?\*/;

const HOST = /\bprivileged\\?["']?\s*[:=]\s*true|\bhost(?:PID|IPC|Network)\\?["']?\s*[:=]\s*true|\bhostPath\b/;

const DESTROYS = /^(?:destroy|delete|rb|terminate-instances|uninstall|purge|del|remove|drop|-destroy)$|^delete-/;

/** Judges programs for clouds and clusters: services that they destroy, open or grant rights to, keys they show. */
const cloud: Program = (call) => {
  const { texts, shell, name } = call;
  const words = texts.filter((text) => !text.startsWith('-'));
  const all = texts.join(' ');
  const isDry = texts.some((text) => /^--dry-?run/.test(text));
  if (PRINTS_KEYS.test(words.join(' ')) || PRINTS_KEYS.test(all) || asksForSecret(name, words))
    shell.report('read-keys');
  const isAsking =
    isDry ||
    words
      .slice(0, 3)
      .some((text) => /^(?:get|list|ls|describe|show|view|logs?|events|diff|plan|search|help)(?:-|$)/.test(text));
  if (!isAsking && GRANTS.test(all)) shell.report('grant-rights');
  if (!isAsking && EXPOSES.test(all)) shell.report('expose');
  if (!isAsking && isStop(words, all)) shell.report('stop-service');
  else if (!isAsking && words.length > 0 && !words.slice(0, 3).some((text) => LOOKS.test(text)))
    shell.report('change-service');
  if (HOST.test(all)) shell.report('take-machine');
  if (destroys(call, words) && !isDry)
    shell.report(name === 'kubectl' && words[1] === 'pod' ? 'service-data' : 'destroy-service');
  else if (/-auto-approve|--yes\b/.test(all) && words.includes('apply')) shell.report('destroy-service');
  else if (/^(?:aws|gsutil|rclone|az)$/.test(name) && /\b(?:cp|sync|mv|upload|copy)\b/.test(all)) sendsFiles(call);
  else if (name === 'gh' && /^(?:release|gist)$/.test(words[0] ?? '') && words[1] === 'create') shell.report('publish');
  return /^(?:kubectl|oc)$/.test(name) ? cluster(call, words) : undefined;
};

function asksForSecret(name: string, words: readonly string[]): boolean {
  if (name === 'heroku' && words[0] === 'config') return true;
  const at = words.findIndex((text) => ASKS_FOR.test(text));
  return at !== -1 && words.slice(0, 4).some((text) => SECRET.test(text));
}

function isStop(words: readonly string[], all: string): boolean {
  return (
    words.slice(0, 3).some((text) => STOPS.test(text)) || /--(?:replicas|desired-count|min-size|size)[= ]0\b/.test(all)
  );
}

function destroys({ name, texts }: Call, words: readonly string[]): boolean {
  return (
    texts.some((text) => DESTROYS.test(text)) ||
    (words[0] === 'state' && words[1] === 'rm') ||
    (name === 'aws' && words[0] === 's3' && words[1] === 'rm' && texts.includes('--recursive')) ||
    (name === 'gsutil' && words[0] === 'rm' && hasOption(texts, 'rR', 'recursive'))
  );
}

/** Judges commands for a cluster: fetched manifests, a shell on a node, copied files, and the command behind `--`. */
function cluster(call: Call, words: readonly string[]): ReturnType<Program> {
  const { texts, shell } = call;
  const [command = '', target = ''] = words;
  if (
    /^(?:apply|create|replace)$/.test(command) &&
    texts.some((text) => /^(?:-f|-k|--filename=|--kustomize=)?https?:/.test(text))
  )
    shell.report('fetch-to-exec');
  if (command === 'debug' && target.startsWith('node/')) shell.report('take-machine');
  if (command === 'cp') sendsFiles(call);
  const at = texts.indexOf('--');
  if (at === -1 || !/^(?:exec|run|debug)$/.test(command)) return undefined;
  return shell.run(call.words.slice(at + 1), call.input);
}

function sendsFiles({ shell, words }: Pick<Call, 'shell' | 'words'>): void {
  shell.report('fetch');
  if (
    readsAny(
      words.map(({ text }) => text),
      shell,
    )
  )
    shell.report('send-secrets');
}

function readsAny(texts: readonly string[], shell: ShellReader): boolean {
  let origin = 0;
  for (const text of texts) if (/^[/~.]/.test(text) && text !== UNKNOWN) origin |= readFrom(text, shell, true);
  return origin !== 0;
}

/** Programs about clouds and clusters. */
export const cloudPrograms: Readonly<Record<string, Program>> = namesOf(
  cloud,
  'vault aws gcloud az gsutil rclone terraform tofu terragrunt pulumi kubectl oc helm gh glab heroku vercel netlify fly flyctl doctl hcloud oci ibmcloud linode-cli eksctl firebase supabase railway wrangler serverless sls cdk ansible',
);
