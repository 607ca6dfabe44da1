// Random policies and requests, decided by gramme and by @cloud-copilot/iam-simulate; prints TAP.
//
//     node simulate.mjs DECISIONS [COUNT [SEED]]
//
// A scene is a caller with policies of their own, maybe a boundary, the policy of a session and that of the resource, and
// some requests. gramme is test_policy_decisions --tell, which reads scenes in the form of tests/data/policy/decisions.txt.
// Both must say alike whether a request is allowed, denied by a statement, or not mentioned.
//
// Left out, because the two differ and gramme does what the documentation says:
// - a variable without a value in a negated operator: it holds (the simulator: it does not);
// - a session that a resource names itself, or as everybody, under a session policy that does not allow: it is allowed;
// - NotPrincipal with Deny where the caller is named but not their account: it denies;
// - a variable without a value in NotResource: it is no resource (the simulator: the statement is none);
// - dates as numbers, which the simulator takes for milliseconds; addresses without a length and 0.0.0.0/0, which it
//   does not find in NotIpAddress.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadPolicy } from '@cloud-copilot/iam-policy'

// The engine itself: what the package exports around it refuses resource policies, or drops keys that it does not expect.
const engine = new URL('./node_modules/@cloud-copilot/iam-simulate/dist/esm/', import.meta.url)
const { authorize } = await import(new URL('core_engine/CoreSimulatorEngine.js', engine))
const { AwsRequestImpl } = await import(new URL('request/request.js', engine))
const { DiscoveryContextKeyConstraints } = await import(new URL('context_keys/discoveryContextKeyConstraints.js', engine))
const { RequestContextImpl } = await import(new URL('requestContext.js', engine))

const [program, countText = '1000', seedText = '1'] = process.argv.slice(2)
const count = Number(countText)
const BATCH = 250
const REQUESTS = 4

// ---- chance ----

let state = Number(seedText) >>> 0
function random(below) {
  state = (state + 0x6d2b79f5) >>> 0
  let t = Math.imul(state ^ (state >>> 15), state | 1)
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
  return ((t ^ (t >>> 14)) >>> 0) % below
}
const chance = (percent) => random(100) < percent
const one = (list) => list[random(list.length)]
const some = (list, most = 3) => [...new Set(Array.from({ length: 1 + random(most) }, () => one(list)))]
const listOrOne = (list) => (list.length === 1 && chance(50) ? list[0] : list)

// ---- words ----

const ACCOUNTS = ['111122223333', '444455556666']
const TABLES = ['orders', 'order-items', 'music', 'ann-music']
const ACTIONS = ['GetItem', 'PutItem', 'Query', 'Scan', 'DeleteItem', 'BatchGetItem', 'UpdateTable', 'GetRecords']
const ACTION_PATTERNS = ['*', 'dynamodb:*', 'dynamodb:Get*', 'dynamodb:*Item', 'dynamodb:?can', 'DynamoDB:getitem', 's3:*',
  'dynamodb:Batch*Item', 'dynamodb:UpdateTable', ...ACTIONS.map((name) => 'dynamodb:' + name)]
const user = (account, name) => `arn:aws:iam::${account}:user/${name}`
const role = (account, name) => `arn:aws:iam::${account}:role/${name}`
const session = (account, name, as) => `arn:aws:sts::${account}:assumed-role/${name}/${as}`
const root = (account) => `arn:aws:iam::${account}:root`
const CALLERS = ACCOUNTS.flatMap((account) => [
  { account, arn: user(account, 'ann') }, { account, arn: user(account, 'bob') },
  ...['s1', 's2'].map((as) => ({ account, arn: session(account, 'worker', as), role: role(account, 'worker') })),
])
const RESOURCES = ACCOUNTS.flatMap((account) => TABLES.flatMap((table) => [
  `arn:aws:dynamodb:us-east-1:${account}:table/${table}`, `arn:aws:dynamodb:us-east-1:${account}:table/${table}/index/by-year`,
  `arn:aws:dynamodb:eu-west-1:${account}:table/${table}/stream/2026-01-01T00:00:00.000`]))
const RESOURCE_PATTERNS = ['*', '*', 'arn:aws:dynamodb:*:*:table/*', 'arn:aws:dynamodb:us-east-1:*:table/order*',
  'arn:aws:dynamodb:*:111122223333:table/music', 'arn:aws:dynamodb:*:*:table/*/index/*', 'arn:aws:dynamodb:us-????-1:*:*',
  'arn:aws:dynamodb:*:*:table/${aws:username}-*', "arn:aws:dynamodb:*:*:table/${aws:PrincipalTag/Team, 'music'}",
  'arn:*:dynamodb:*:*:table/?????', 'arn:aws:s3:::bucket/*']

// What a key may be in a request, and be compared with.
const KEYS = {
  'aws:username': { kind: 'String', values: ['ann', 'bob', 'Ann', 'a*', ''] },
  'aws:PrincipalArn': { kind: 'Arn', values: [...CALLERS.map((caller) => caller.arn), role(ACCOUNTS[0], 'worker')],
    patterns: ['arn:aws:iam::*:user/a*', 'arn:aws:*::111122223333:*', 'arn:aws:iam::*:role/worker'] },
  'aws:SourceIp': { kind: 'Ip', values: ['10.1.2.3', '192.0.2.7', '2001:db8::1', 'fe80::1'],
    patterns: ['10.0.0.0/8', '192.0.2.0/30', '192.0.2.7/32', '128.0.0.0/1', '2001:db8::/32', '::/0', 'fe80::1/128', '10.1.2.3/32'] },
  'aws:SecureTransport': { kind: 'Bool', values: ['true', 'false'] },
  'aws:EpochTime': { kind: 'Numeric', values: ['5', '10', '10.5', '-3', '100'] },
  'aws:CurrentTime': { kind: 'Date', values: ['2026-01-01T00:00:00Z', '2026-06-01T12:00:00Z', '2027-01-01T00:00:00Z'],
    patterns: ['2026-01-01', '2026-06-01T12:00:00Z', '2026-12-31'] },
  'aws:PrincipalTag/Team': { kind: 'String', values: ['red', 'blue', 'music'] },
  'aws:ResourceTag/team': { kind: 'String', values: ['red', 'blue', 'RED'] },
  'aws:RequestedRegion': { kind: 'String', values: ['us-east-1', 'eu-west-1'] },
  'aws:TagKeys': { kind: 'String', list: true, values: ['team', 'stage', 'Stage'] },
  'dynamodb:LeadingKeys': { kind: 'String', list: true, values: ['ann', 'bob', 'AQI=', '7'] },
  'dynamodb:Attributes': { kind: 'String', list: true, values: ['id', 'name', 'secret'] },
  'dynamodb:Select': { kind: 'String', values: ['COUNT', 'ALL_ATTRIBUTES', 'SPECIFIC_ATTRIBUTES'] },
  'dynamodb:EnclosingOperation': { kind: 'String', values: ['TransactWriteItems', 'TransactGetItems'] },
}
const ALWAYS = ['aws:PrincipalArn', 'aws:CurrentTime', 'aws:SecureTransport', 'aws:RequestedRegion']
const OPERATORS = {
  String: ['StringEquals', 'StringNotEquals', 'StringEqualsIgnoreCase', 'StringNotEqualsIgnoreCase', 'StringLike', 'StringNotLike'],
  Arn: ['ArnEquals', 'ArnLike', 'ArnNotEquals', 'ArnNotLike', 'StringEquals', 'StringLike', 'StringNotLike'],
  Ip: ['IpAddress', 'NotIpAddress'],
  Bool: ['Bool'],
  Numeric: ['Equals', 'NotEquals', 'LessThan', 'LessThanEquals', 'GreaterThan', 'GreaterThanEquals'].map((name) => 'Numeric' + name),
  Date: ['Equals', 'NotEquals', 'LessThan', 'LessThanEquals', 'GreaterThan', 'GreaterThanEquals'].map((name) => 'Date' + name),
}

// ---- documents ----

function operand(key, operator) {
  const { kind, values, patterns = [] } = KEYS[key]
  if (kind === 'String' && operator.endsWith('Like')) {
    return one([...values, '*', '?*', 'a*', '*e*', '${*}', 're?', ...(operator.includes('Not') ? [] : ['${aws:username}*'])])
  }
  if (kind === 'String' && chance(10)) return operator.includes('Not') ? '${aws:RequestedRegion}' : '${aws:PrincipalTag/team}'
  if (kind === 'Arn' && operator.startsWith('String')) return one([...values, 'arn:aws:iam::*'])
  return one(kind === 'Ip' || (patterns.length > 0 && chance(60)) ? patterns : values)
}

function condition() {
  const made = {}
  for (const key of some(Object.keys(KEYS), 2)) {
    const { kind, list } = KEYS[key]
    if (chance(10)) {
      made.Null = { ...made.Null, [key]: listOrOne(some(['true', 'false'], 1)) }
      continue
    }
    const base = kind === 'String' && list && chance(10) ? 'BinaryEquals' : one(OPERATORS[kind])
    const prefix = list || chance(10) ? one(['ForAllValues:', 'ForAnyValue:']) : ''
    const values = base === 'BinaryEquals' ? ['AQI='] : some(Array.from({ length: 3 }, () => operand(key, base)))
    const operator = prefix + base + (chance(15) ? 'IfExists' : '')
    made[operator] = { ...made[operator], [chance(20) ? key.toLowerCase() : key]: listOrOne(values) }
  }
  return made
}

function principals(scene, denies, bare) {
  const { caller } = scene
  const strangers = CALLERS.filter((other) => other.account !== caller.account)
    .flatMap((other) => [other.arn, root(other.account)])
  if ((denies || !bare) && chance(8)) {
    const all = [caller.arn, root(caller.account), ...(caller.role ? [caller.role] : [])]
    return { NotPrincipal: { AWS: denies && chance(50) ? [...all, one(strangers)] : some(strangers) } }
  }
  if (!bare && chance(10)) return { Principal: one(['*', { AWS: '*' }]) }
  const names = [caller.account, root(caller.account), ...(caller.role ? [caller.role] : []),
    user(caller.account, 'ann'), user(caller.account, 'bob'), ...strangers, ...(bare ? [] : [caller.arn])]
  const of = { AWS: listOrOne(some(bare && !caller.role ? strangers : names)) }
  if (chance(10)) of.Service = 'lambda.amazonaws.com'
  return { Principal: of }
}

function statement(scene, side) {
  const denies = chance(25)
  const made = { Effect: denies ? 'Deny' : 'Allow' }
  if (side === 'resource') Object.assign(made, principals(scene, denies, scene.session))
  made[chance(10) ? 'NotAction' : 'Action'] = listOrOne(some(ACTION_PATTERNS))
  const resources = listOrOne(some(chance(30) ? RESOURCES : RESOURCE_PATTERNS))
  made[chance(10) && !JSON.stringify(resources).includes('username}') ? 'NotResource' : 'Resource'] = resources
  if (chance(40)) made.Condition = condition()
  return made
}

const policy = (scene, side) => ({ Version: '2012-10-17',
  Statement: Array.from({ length: 1 + random(3) }, () => statement(scene, side)) })

// ---- scenes ----

function request(caller) {
  const values = {}
  for (const [key, { list, values: words }] of Object.entries(KEYS)) {
    if (key === 'aws:PrincipalArn') values[key] = caller.role ?? caller.arn
    else if (key === 'aws:username') { if (!caller.role) values[key] = caller.arn.split('/')[1] }
    else if (ALWAYS.includes(key) || chance(60)) values[key] = list ? some(words) : one(words.filter((word) => word !== ''))
  }
  return { action: 'dynamodb:' + one(ACTIONS), resource: one(RESOURCES), values }
}

function scene() {
  const made = { caller: one(CALLERS) }
  made.session = made.caller.role && chance(25) ? true : undefined
  made.identity = Array.from({ length: random(3) }, () => policy(made, 'identity'))
  if (chance(60)) made.resource = policy(made, 'resource')
  if (chance(30)) made.boundary = policy(made, 'boundary')
  if (made.session) made.session = policy(made, 'session')
  made.requests = Array.from({ length: REQUESTS }, () => request(made.caller))
  return made
}

// ---- gramme ----

function lines(scene) {
  const made = scene.identity.map((document) => 'identity ' + JSON.stringify(document))
  for (const side of ['resource', 'boundary', 'session']) if (scene[side]) made.push(`${side} ${JSON.stringify(scene[side])}`)
  for (const { action, resource, values } of scene.requests) {
    const words = Object.entries(values).flatMap(([key, value]) => [value].flat().map((text) => `${key}=${text}`))
    made.push(['tell', action, resource, 'caller=' + scene.caller.arn, ...words].join(' '))
  }
  return made.join('\n') + '\n'
}

function gramme(scenes) {
  const folder = mkdtempSync(join(tmpdir(), 'gramme-policy-'))
  try {
    const file = join(folder, 'scenes.txt')
    writeFileSync(file, scenes.map(lines).join('\n'))
    const told = execFileSync(program, ['--tell', file], { encoding: 'utf8' }).trim().split('\n')
    return told.map((word) => (word === 'allowed' ? 'Allowed' : word.endsWith('-denies') ? 'ExplicitlyDenied' : 'ImplicitlyDenied'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

// ---- the simulator ----

function simulate(scene, { action, resource, values }) {
  const load = (document) => (document ? loadPolicy(document, { name: 'p' }) : undefined)
  const place = { resource, accountId: resource.split(':')[4] }
  return authorize({
    request: new AwsRequestImpl(scene.caller.arn, place, action, new RequestContextImpl(values)),
    identityPolicies: scene.identity.map(load), resourcePolicy: load(scene.resource), sessionPolicy: load(scene.session),
    permissionBoundaries: scene.boundary ? [load(scene.boundary)] : undefined, vpcEndpointPolicies: undefined,
    serviceControlPolicies: [], resourceControlPolicies: [], serviceSettings: {},
    simulationParameters: { simulationMode: 'Strict', discoveryContextKeyConstraints: new DiscoveryContextKeyConstraints([]) },
  }).result
}

// ---- comparing ----

let number = 0
function report(ok, name, more = []) {
  console.log(`${ok ? 'ok' : 'not ok'} ${++number} - ${name}`)
  for (const line of more) console.log('# ' + line)
}

function differences(scenes) {
  const told = gramme(scenes)
  const found = []
  scenes.forEach((scene, s) => scene.requests.forEach((asked, r) => {
    const mine = told[s * REQUESTS + r], theirs = simulate(scene, asked)
    if (mine !== theirs) found.push([`gramme ${mine}, simulator ${theirs}:`, ...lines({ ...scene, requests: [asked] }).trim().split('\n')])
  }))
  return { found, told }
}

const tally = {}
for (let done = 0; done < count; done += BATCH) {
  const scenes = Array.from({ length: Math.min(BATCH, count - done) }, scene)
  const { found, told } = differences(scenes)
  for (const word of told) tally[word] = (tally[word] ?? 0) + 1
  report(found.length === 0, `scenes ${done + 1} to ${done + scenes.length}, seed ${seedText}`, found.slice(0, 3).flat())
}
console.log('# ' + JSON.stringify(tally))
report(['Allowed', 'ExplicitlyDenied', 'ImplicitlyDenied'].every((word) => tally[word] > count / 4), 'every outcome came up')

// A canary: what gramme reads is not what the simulator reads.
const open = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] }
const honest = { caller: CALLERS[0], identity: [open], requests: Array.from({ length: REQUESTS }, () => ({ ...request(CALLERS[0]),
  resource: RESOURCES[0] })) }
const toJSON = () => ({ ...open, Statement: [{ ...open.Statement[0], Effect: 'Deny' }] })
report(differences([honest]).found.length === 0 && differences([{ ...honest, identity: [{ ...open, toJSON }] }]).found.length === REQUESTS,
  'a difference is noticed')
console.log(`1..${number}`)
