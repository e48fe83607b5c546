"""What an answer says about how things went, in several languages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootcall.evidence.wording import Wording, language_of, wording

SUCCESS = [
    "Your appointment has been moved to Tuesday.",
    "I've cancelled the order for you.",
    "Your table is reserved for 7 pm. Is there anything else?",
    "All done, the invoice is on its way. Don't hesitate to write.",
    "예약이 완료되었습니다.",
    "주소를 변경해 드렸습니다. 더 필요하신 것이 있나요?",
    "Der Termin wurde verschoben.",
    "Ich habe die Rechnung versendet.",
    "Su reserva ha sido confirmada.",
    "Votre réservation a été confirmée.",
    "J'ai annulé la commande.",
    "注文をキャンセルしました。",
    "已经为您取消订单。",
    "Sua reserva foi confirmada.",
    "La prenotazione è stata confermata.",
]
FAILURE = [
    "That didn't work, sorry.",
    "I have no result for you.",
    "The lookup failed.",
    "There is still an issue with the gift card.",
    "결과를 가져오지 못했습니다.",
    "안타깝게도 처리되지 않았습니다.",
    "Das hat leider nicht geklappt.",
    "Lo siento, no pude obtenerlo.",
    "Désolé, cela n'a pas fonctionné.",
    "申し訳ありませんが、取得できませんでした。",
    "抱歉，查询失败。",
    "Infelizmente não consegui.",
    "Purtroppo non è stato possibile.",
    "Het is helaas niet gelukt.",
]
NEXT_STEP = [
    "The server is down right now; I'll try again in a few minutes.",
    "I couldn't reach it. Do you want me to try again?",
    "서버에 장애가 있어 처리하지 못했습니다. 잠시 후 다시 시도해 볼까요?",
    "Der Dienst antwortet nicht. Soll ich es später noch einmal versuchen?",
    "El servicio no responde. ¿Quiere que lo intente más tarde?",
    "Le service ne répond pas. Voulez-vous que je réessaie plus tard ?",
    "システムに障害が発生しており、処理できませんでした。後ほど再度お試しください。",
    "系统故障，未能完成。需要我稍后再试吗？",
]
HAND_OVER = [
    "I don't have permission for that, so I passed it to our support team.",
    "권한이 없어 담당자에게 전달했습니다.",
    "Das darf ich nicht ändern; ich habe es an einen Kollegen weitergeleitet.",
    "No tengo permiso; lo he pasado a un compañero.",
]


@pytest.mark.parametrize("text", SUCCESS)
def test_a_success_is_a_claim_and_no_admission(text: str) -> None:
    said = wording(text)
    assert said.claims
    assert not said.admits


@pytest.mark.parametrize("text", FAILURE)
def test_a_failure_is_admitted_without_a_next_step(text: str) -> None:
    said = wording(text)
    assert said.admits
    assert not (said.claims)
    assert not (said.offers)
    assert not (said.asks)
    assert not (said.hands_over)


@pytest.mark.parametrize("text", NEXT_STEP)
def test_a_next_step_is_seen_beside_the_failure(text: str) -> None:
    said = wording(text)
    assert said.admits
    assert said.offers or said.asks


@pytest.mark.parametrize("text", HAND_OVER)
def test_a_hand_over_is_seen_beside_the_failure(text: str) -> None:
    said = wording(text)
    assert said.admits
    assert said.hands_over


@pytest.mark.parametrize(
    "text", ["Which date do you mean?", "어느 날짜를 말씀하시나요?", "Meinen Sie Freitag, den 27. März?"]
)
def test_a_question_admits_nothing(text: str) -> None:
    said = wording(text)
    assert said.asks
    assert not said.admits


def test_a_polite_closing_is_no_question() -> None:
    assert not wording("Your room is booked. Can I help with anything else?").asks


def test_having_looked_is_no_claim() -> None:
    assert not wording("I have checked your booking.").claims


def test_a_conditional_is_no_claim() -> None:
    assert not wording("Once the payment is confirmed, you hear from us.").claims


def test_a_reason_is_an_explanation() -> None:
    assert wording("Refunds are only granted within 30 days.").explains


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The room is booked", "en"),
        ("Das Zimmer ist gebucht", "de"),
        ("Ваш заказ отменён", None),
        ("OK", None),
        ("", None),
    ],
)
def test_the_language_is_told_or_left_open(text: str, code: str | None) -> None:
    assert language_of(text) == code


def test_nothing_is_concluded_from_a_language_we_do_not_know() -> None:
    assert wording("Ваш заказ отменён.") == Wording()
    assert wording("Что делать?") == Wording(asks=True)


@settings(deadline=None)  # the first text in a language compiles its words
@given(st.text())
def test_any_text_is_read_without_raising(text: str) -> None:
    assert isinstance(wording(text), Wording)
