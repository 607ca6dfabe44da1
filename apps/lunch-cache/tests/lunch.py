"""What the tests of lunch-cache share: a menu, and storing it."""

import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "common"))

from testing import AppTest

TABLE = "lunch-cache-dev"
LUNCH = {"name": "Köttbullar med gräddsås", "description": "Serveras med kokt potatis och lingonsylt", "price": 125,
         "weekday": "måndag", "week": 3, "place": "Niagara"}
MENU = {"restaurant": "niagara", "year": 2025, "week": 3, "lunches": [LUNCH]}


class LunchCache(AppTest):
    app = "lunch-cache"

    def store(self, menu, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "menu.json"
            path.write_text(json.dumps(menu, ensure_ascii=False))
            return self.run_app("store", path, *options)

    def item(self, pk):
        return self.client.get_item(TableName=TABLE, Key={"pk": {"S": pk}}).get("Item")
