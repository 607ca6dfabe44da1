"""Requests signed for real, and the key that servers of tests know.

With GRAMME_TEST_AUTH in the environment every server that a test starts verifies signatures, and every
request of a test is signed with KEY: a whole suite runs once more with signatures that count.
"""

import datetime
import hashlib
import hmac
import os

KEY_ID = "AKIAGRAMMEWIRETESTS0"
SECRET = "signed/By+Tests0000000000000000000000000"
VERIFIED = bool(os.environ.get("GRAMME_TEST_AUTH"))
# What clients sign with: where nothing is verified, anything will do.
KEY = (KEY_ID, SECRET) if VERIFIED else ("test", "test")


def write_key(path, key_id=KEY_ID, secret=SECRET):
    """A credentials file for --root-key; returns its path."""
    path.write_text(f"[default]\naws_access_key_id = {key_id}\naws_secret_access_key = {secret}\n")
    return path


def _hmac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def signing_key(secret, day, region, service):
    key = ("AWS4" + secret).encode()
    for part in (day, region, service, "aws4_request"):
        key = _hmac(key, part)
    return key


def sign(headers, body, host, *, method="POST", key_id=KEY_ID, secret=SECRET, token=None, region="us-east-1",
         service="dynamodb", now=None, path="/"):
    """The headers with those of a signature in place of what they had."""
    now = now or datetime.datetime.now(datetime.timezone.utc)
    date = now.strftime("%Y%m%dT%H%M%SZ")
    signed = {name.lower(): str(value) for name, value in headers.items() if name.lower() not in ("authorization", "host")}
    signed.update({"host": host, "x-amz-date": date, **({"x-amz-security-token": token} if token else {})})
    names = ";".join(sorted(signed))
    canonical = "\n".join([method, path, "", *(f"{name}:{' '.join(signed[name].split())}" for name in sorted(signed)), "",
                           names, hashlib.sha256(body).hexdigest()])
    scope = f"{date[:8]}/{region}/{service}/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", date, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    signature = hmac.new(signing_key(secret, date[:8], region, service), text.encode(), hashlib.sha256).hexdigest()
    return {**signed, "authorization": f"AWS4-HMAC-SHA256 Credential={key_id}/{scope}, SignedHeaders={names}, "
                                       f"Signature={signature}"}
