"""The words and names that tell errors: kinds of failure in messages, how error texts begin, keys of payloads.

Only tables. How they are put to use is `rootcall.toolerror`'s.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from rootcall.lazypattern import lazy

__all__ = [
    "BAD_WORDS", "CODE_KEYS", "DETAIL", "FIELD_KEYS", "KINDS", "MESSAGE_KEYS", "PERMANENT", "STATUS_KIND", "SUCCESS_CODE",
    "SUCCESS_MESSAGE", "TEXT_ERROR", "TRANSIENT", "TRANSIENT_STATUS", "WITHHELD", "ErrorKind",
]  # fmt: skip

ErrorKind = Literal[
    "validation", "not_found", "permission", "conflict", "rate_limit", "timeout", "server", "unknown_tool", "refused",
    "other",
]  # fmt: skip
# Statuses after which the same call can succeed.
TRANSIENT_STATUS: Final = frozenset({408, 425, 429, 500, 502, 503, 504, 507, 508, 509, 520, 521, 522, 523, 524, 529})

# Words in which a message or a code, in lower case, says what kind of failure this is, the most telling first. Case is not
# left to the patterns: so they are five times as fast.
KINDS: Final[tuple[tuple[ErrorKind, re.Pattern[str]], ...]] = (
    (
        "refused",
        lazy(
            r"(blocked|denied|rejected|refused|declined|forbidden|disallowed) by (the )?(policy|user|human|operator|admin"
            r"|approver|guardrail)|approval (was )?(denied|rejected|declined)|user (denied|rejected|declined)"
            r"|requires (human )?approval",
        ),
    ),
    (
        "unknown_tool",
        lazy(
            r"\b(unknown|no such|unavailable|unrecogni[sz]ed|undefined|unregistered|nonexistent) (tool|function|action)\b"
            r"|\bno (tool|function) (named|called|with)\b|(not|n't) (a )?(registered|known|valid|available) "
            r"(tool|function)\b|\b(tool|function)\b[^.;]{0,60}?\b(does not exist|doesn't exist|not found|is not (registered"
            r"|available|defined|offered))|unbekanntes (werkzeug|tool)|알 수 없는 (도구|함수)",
        ),
    ),
    (
        "rate_limit",
        lazy(
            r"rate.?limit|too many requests|throttl|quota[_ ]?exceeded|resource_exhausted|요청이 너무 많|zu viele anfragen"
            r"|demasiadas solicitudes|trop de requ[eê]tes|너무 많은 요청|요청 ?한도|请求过于频繁|请求(过|太)多|リクエストが多すぎ|レート制限",
        ),
    ),
    (
        "timeout",
        lazy(
            r"time[ds]?[ _-]?out|deadline.?exceeded|no response (from|within)|did not (respond|answer) (with)?in"
            r"|시간.{0,3}초과|zeitüberschreitung|tiempo de espera|délai (d'attente )?dépassé|超时|タイムアウト"
            r"|keine antwort|응답이? ?없|응답하지 않|sin respuesta|no responde|pas de réponse|ne répond pas|sem resposta|nessuna risposta"
            r"|(没有|无)响应|応答(なし|がありません|しません)",
        ),
    ),
    (
        "server",
        lazy(
            r"temporar(y|ily)|unavailable|overload|try (again|later)|retry (in|later|after)|internal (server )?error"
            r"|bad gateway|connection (reset|refused|aborted|error|lost)|econn(reset|refused)|broken pipe|server error"
            r"|unreachable|\binternal(_error)?\b|일시적|잠시 후|점검 ?중|과부하|서버 ?오류|서버에 연결|vorübergehend|später erneut|überlastet|nicht erreichbar"
            r"|nicht verfügbar|serverfehler|temporalmente|error (interno )?del servidor|servicio no disponible|sobrecargad|mantenimiento|wartung(sarbeiten)?\b|temporairement|surchargé"
            r"|erreur (interne|serveur)|一時的|サーバーエラー|混雑|服务器(内部)?错误|服务不可用|暂时|繁忙",
        ),
    ),
    (
        "permission",
        lazy(
            r"permission|forbidden|unauthori[sz]ed|not (allowed|permitted|authori[sz]ed)|access (is )?denied|permission_denied"
            r"|unauthenticated|access_?denied|권한|인증|허용되지 않은 (작업|사용자)|berechtigung|nicht erlaubt|zugriff verweigert|nicht befugt|permiso|no autorizad"
            r"|acceso denegado|interdit|non autorisé|accès refusé|权限|无权|未授权|拒绝访问|権限|アクセス拒否",
        ),
    ),
    (
        "conflict",
        lazy(
            r"\bconflict|\block(ed)?\b|already (exists|taken|booked|in use)|aborted|already_exists|locked(exception|error)|잠겨|잠금|충돌|이미 "
            r"(존재|예약|등록|사용)|gesperrt|konflikt|bereits (vorhanden|belegt|vergeben)|bloquead[oa]|conflicto|ya existe|verrouillé|conflit|existe déjà"
            r"|已存在|锁定|冲突|ロック|競合|既に存在",
        ),
    ),
    (
        "not_found",
        lazy(
            r"not[ _]?found|no (such|record|match)|does(n't| not) exist|not_found|unknown (id|user|order|record|customer)"
            r"|존재하지 않|찾을 수 없|nicht gefunden|existiert nicht|no encontrad|no existe|introuvable|n'existe pas|不存在|找不到|未找到|見つかりません|存在しません",
        ),
    ),
    (
        "validation",
        lazy(
            r"invalid|validation|\bmust\b|required|missing|expected|malformed|not (a )?valid|unexpected (parameter|argument|"
            r"keyword|property|field)|unknown (parameter|argument|field|property)|bad request|invalid_argument|at most|"
            r"at least|should be|could not parse|cannot parse|parsing failed|unsupported|not supported|out of range|too (long|short|large)"
            r"|limited to|\bexceed(s|ed|ing)?\b|no (more|less|fewer) than|\b(max|min)imum\b|not accepted|not recogni[sz]ed|illegal ?(argument|value|character|format)|\b(value|type)error\b"
            r"|형식|필수|잘못된|유효하지|올바르지|누락|이하|이상이|최대|최소|지원하지 않|ungültig|unzulässig|erforderlich|muss|fehlt|erwartet|höchstens|mindestens"
            r"|inválid|no válid|obligatori|debe|falta|formato|invalide|non valide|requis|doit|manquant|无效|必须|缺少|格式|不合法|最多|至少|無効|必須|形式|不正",
        ),
    ),
)
STATUS_KIND: Final[Mapping[int, ErrorKind]] = {
    400: "validation", 401: "permission", 403: "permission", 404: "not_found", 405: "validation", 408: "timeout",
    409: "conflict", 410: "not_found", 411: "validation", 412: "conflict", 413: "validation", 415: "validation",
    422: "validation", 423: "conflict", 424: "server", 425: "server", 429: "rate_limit", 504: "timeout",
}  # fmt: skip
TRANSIENT: Final = frozenset({"rate_limit", "timeout", "server"})
PERMANENT: Final = frozenset({"validation", "not_found", "permission", "conflict", "unknown_tool", "refused"})

# A text is an error when it begins as one.
TEXT_ERROR: Final = lazy(
    r"""\s*(?:
        \W{0,3}(?:error|fehler|erreur|errore|erro|오류|에러|错误|錯誤|エラー|ошибка|failure|fatal|exception)
              \s*(?:\[[^\]]*\]|\([^)]*\)|\#?\d+|code\s*\S+)?\s*[:：]
      | \W{0,2}error\s+(?:executing|calling|running|invoking|processing|while|in\ tool|from\ tool|\[?\d{3}\b)
      | HTTP(?:/[\d.]+)?\s+[45]\d\d\b
      | [45]\d\d\s+(?:bad\ request|unauthori[sz]ed|payment\ required|forbidden|not\ found|method\ not\ allowed|not\ acceptable
              |(?:request|gateway)\ time-?out|conflict|gone|precondition\ failed|(?:payload|content|uri)\ too\ l(?:arge|ong)
              |unsupported\ media\ type|unprocessable(?:\ (?:entity|content))?|locked|too\ many\ requests|not\ implemented
              |internal\ server\ error|bad\ gateway|service\ unavailable|client\ error|server\ error)\b
      | (?:bad\ request|unauthori[sz]ed|forbidden|too\ many\ requests|internal\ server\ error|bad\ gateway
              |service\ (?:temporarily\ )?unavailable|gateway\ time-?out|(?:permission|access)\ denied|deadline\ exceeded
              |rate\ limit\ (?:exceeded|reached|hit)|connection\ (?:refused|reset|aborted|lost|failed|timed\ out)
              |(?:the\ )?(?:request|operation|call|query|tool|tool\ call)\ (?:has\ )?timed\ out|time-?out)\s*(?:[.:,;(!]|after\b|by\b|$)
      | failed\ to\ (?:connect|fetch|load|execute|process|complete|reach|parse|retrieve|call|run|open|read|write|send|create|update|delete)\b
      | Traceback\ \(most\ recent
      | Exception\ in\ thread
      | <(?:\?xml[^>]*>\s*<)?(?:\w+:)?(?:fault|error|exception)\b
      | (?:[A-Za-z_$][\w$]*\.)*[A-Z]\w*(?:Error|Exception|Fault)\b\s*(?::|$|\()
      | (?:unknown|no\ such)\ (?:tool|function|action)\b
      | (?:tool|function)\ (?:execution|call|invocation)\ (?:failed|error)
      | an?\ (?:unexpected\ )?error\ (?:has\ )?occurred
      | (?:the\ )?(?:request|operation|command|call)\ failed\b
      | \[?(?:ERR|ERROR|FATAL|FAILED)\]?\s*[:\-–—]
      | (?:MCP|RPC|API|tool|request|validation|input)\s+error\b\s*(?:\S+\s*)?:
      | InputValidationError
      | invalid\ (?:tool\ )?(?:input|arg(?:ument)?s?|param(?:eter)?s?)(?:\s*:|\ (?:for|to|passed\ to|in\ call\ (?:of|to))\ (?:the\ )?(?:tool|function)\b)
      | (?:json\ parsing|type\ validation|input\ validation|schema\ validation)\ failed\b
      | (?:the\ )?model\ tried\ to\ call\ (?:an\ )?(?:unavailable|unknown)\ (?:tool|function)\b
      | <tool_use_error>
    )""",
    re.IGNORECASE | re.VERBOSE,
)
# How a body begins that is nothing but `detail`, as several web frameworks write it.
DETAIL: Final = lazy(
    r"(not found|no \w+ (found|matches)|invalid|missing|bad request|unauthori[sz]ed|forbidden|method .{0,10}not allowed"
    r"|permission|you do not have permission|authentication|not authenticated|request was throttled|internal server error)",
    re.IGNORECASE,
)
# Result codes and messages that say that all is well.
SUCCESS_CODE: Final = lazy(r"[A-Z]{0,4}[-_]?0+|2\d\d(?:00)?|OK|SUCCESS(?:FUL)?|NONE|NORMAL|COMPLETED", re.IGNORECASE)
SUCCESS_MESSAGE: Final = lazy(
    r"\s*(ok|success\w*|normal( service)?|completed|done|정상|성공|成功|erfolg\w*|[eé]xito|succès|正常)\W*\s*\Z",
    re.IGNORECASE,
)

# The status names of gRPC other than OK; a body that carries one with a message is an error.
GRPC_STATUS: Final = frozenset(
    [
        "CANCELLED",
        "UNKNOWN",
        "INVALID_ARGUMENT",
        "DEADLINE_EXCEEDED",
        "NOT_FOUND",
        "ALREADY_EXISTS",
        "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED",
        "FAILED_PRECONDITION",
        "ABORTED",
        "OUT_OF_RANGE",
        "UNIMPLEMENTED",
        "INTERNAL",
        "UNAVAILABLE",
        "DATA_LOSS",
        "UNAUTHENTICATED",
    ]
)
ERROR_KEYS: Final = (
    "error", "Error", "errors", "fault", "Fault", "exception", "fehler", "Fehler", "erreur", "errore", "erro", "오류", "에러", "エラー",
    "错误", "failure",
)  # fmt: skip

# Keys of payloads, in the order in which they are asked.
MESSAGE_KEYS: Final = (
    "message", "error_message", "errorMessage", "detail", "error_description", "description", "msg", "reason", "title", "Message",
    "faultstring", "info", "text", "resultMessage", "statusMessage", "status_message", "meldung", "cause",
    "nachricht", "fehlermeldung", "texto", "texte", "hinweis", "mensaje", "mensagem", "messaggio", "erreur", "메시지", "오류메시지", "メッセージ", "消息",
)  # fmt: skip
CODE_KEYS: Final = ("code", "error_code", "errorCode", "resultCode", "Code", "errorType", "__type", "error_type", "grpcStatus",
                     "faultcode", "kennung", "codigo", "código", "코드", "type", "name", "errno")  # fmt: skip
FIELD_KEYS: Final = ("field", "fields", "param", "parameter", "argument", "property", "loc", "path", "instancePath", "pointer",
                      "fieldName", "fieldViolations", "attribute", "invalid_fields", "target")  # fmt: skip
# States that are failures.
BAD_WORDS: Final = frozenset({"error", "err", "fail", "failure", "fault", "exception", "rejected", "denied", "invalid"})
# Sentences by which three SDKs replace an error before the model sees it.
WITHHELD: Final = lazy(
    r"\s*(an error occurred while running the tool\. please try again|error: function failed|error executing tool [\w.\-]+)"
    r"\.?\s*$",
    re.IGNORECASE,
)
